// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <hogwild/detail/control/ring_token.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/platform/placement.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild::detail {

/// The replica of the ring that the worker in `slot` trains: consecutive workers share one; late joiners take turns.
inline std::size_t replica_of(std::size_t slot, const exchange_options& ring) {
  return replica_of_slot(slot, ring.workers, ring.replicas);
}

/// One worker's view of the token, and its hold on it.
///
/// Replicas that have not trained a row since this worker looked last (stopped, dead, done with their rows, or
/// preempted) are skipped. A worker takes the token over if it sees it not move elsewhere for `max_polls` of its looks,
/// or if it waits for as many looks as there are replicas because others are much faster. The skipped holder notices
/// from is_held(), or when it passes the token on.
class ring_turn {
 public:
  /// Store and ring must outlive this.
  ring_turn(const param_store& store, std::size_t slot, const exchange_options& ring, std::size_t max_polls);

  std::size_t replica() const { return replica_; }
  /// The replica to which the token goes next; its own if no other has trained since.
  std::size_t successor() const { return successor_; }

  /// Takes the token if it names this replica or is overdue. Without `news`, only if another replica has trained since
  /// this worker looked.
  bool take(bool news);
  /// Whether this worker took the token over from another one.
  bool out_of_turn() const { return out_of_turn_; }
  /// Whether this worker still holds it.
  bool is_held() const { return store_.control().token.is_still(held_); }
  /// How often the token has been passed on.
  std::uint64_t generation() const { return ring_token::generation(held_); }
  /// Passes the token to the successor. `exchanged`: counts as an exchange, with the time since take().
  void pass(bool exchanged);

 private:
  /// The next replica on the ring that has trained since this worker looked at it last.
  struct moved {
    std::size_t replica;
    std::uint64_t rows;
  };
  std::optional<moved> next_that_moved() const;
  bool overdue(ring_token::seen now);
  template <class Number>
  std::uint64_t sum_of(std::size_t v, Number worker_slot::*what) const;

  const param_store& store_;
  worker_slot& me_;
  const exchange_options& ring_;
  std::size_t replica_, successor_, max_polls_;
  std::vector<std::vector<const worker_slot*>> members_;  ///< workers of each replica
  std::vector<std::uint64_t> rows_seen_;                  ///< rows of each replica at the last look
  ring_token::seen held_{};
  bool out_of_turn_ = false;
  std::chrono::steady_clock::time_point begin_{};
  std::size_t stood_still_ = 0, waited_ = 0;
  std::optional<ring_token::seen> last_seen_{};
  std::uint64_t last_bytes_ = 0, last_turns_ = 0;
};

}  // namespace hogwild::detail
