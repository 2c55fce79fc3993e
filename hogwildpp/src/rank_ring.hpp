// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/transports/message_link.hpp>
#include <hogwild/model.hpp>
#include <hogwild/result.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "rank_curvature.hpp"

namespace hogwild::detail {

/// What a rank's ring needs to know.
struct rank_ring_options {
  update_kind update = update_kind::lossy;
  bool scaled = false;      ///< groups of columns hold v, with w = scale * v (scaled_l2)
  double step_lasts = 1.0;  ///< how many times its step a gradient moves parameters in all, as under momentum
  double state_kept = 1.0;  ///< of what an optimiser remembers: 1 of its sums, 1 / ranks of its running means
  delta_values message_values = delta_values::as_stored;
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);  ///< how long it waits for the token
};

/// The rows of a round.
struct round_rows {
  std::uint64_t all = 0;        ///< of all ranks: the round is over when as many are trained
  std::uint64_t most_here = 0;  ///< that count for the end: a rank of few rows does not go on with them for ever
};

/// One rank's part in a ring of processes. While a round is open, a thread of its own waits for the token, lets the
/// shared array of this process exchange a prefix of the columns, by the marks of a ruler, and sends the token on; the
/// workers train on. The token goes round by round, beginning with rank 0, which ends the round when all ranks together
/// have trained its rows, whoever trained them, or when somebody asks to stop.
class rank_ring {
 public:
  virtual ~rank_ring() = default;

  /// Between rounds, while nobody trains and all ranks have the same parameters. What `steep` refers to must stay as it
  /// is until the round is merged or abandoned.
  virtual void open(const round_plan& round, const round_rows& rows, const known_curvature& steep) = 0;
  /// After the workers have finished their rows: waits until the round is over, which is true, or until it is known
  /// that other ranks are so far behind that this one should train on, which is false. Throws what the thread threw.
  virtual bool wait_for_end() = 0;
  /// After the end, when nobody trains any more: all ranks take what all have learned together, the scale of each
  /// multiplied in. Throws worker_error.
  virtual void merge(collective& ranks) = 0;
  /// Ends the thread where an exception takes the round away.
  virtual void abandon() noexcept = 0;

  virtual link_report report() const = 0;
};

/// Store and link must outlive the ring; the store's control block is told to stop a round that is over.
std::unique_ptr<rank_ring> make_rank_ring(const param_store& store, message_link& link,
                                          std::vector<parameter_group> groups, const rank_ring_options& options);

}  // namespace hogwild::detail
