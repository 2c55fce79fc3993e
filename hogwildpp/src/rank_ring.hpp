// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/transports/message_link.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/model.hpp>
#include <hogwild/result.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "rank_curvature.hpp"

namespace hogwild::detail {

/// Options of a rank's ring.
struct rank_ring_options {
  update_kind update = update_kind::lossy;
  bool scaled = false;      ///< groups of columns hold v, with w = scale * v (scaled_l2)
  double step_lasts = 1.0;  ///< by how many times its step a gradient moves parameters in total: above 1 under momentum
  double state_kept = 1.0;  ///< weight of the optimiser's state: 1 for sums, 1 / ranks for running means
  delta_values message_values = delta_values::as_stored;
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);  ///< how long it waits for the token
};

/// The rows of a round.
struct round_rows {
  std::uint64_t all = 0;        ///< of all ranks: the round ends when that many are trained
  std::uint64_t most_here = 0;  ///< the most of this rank that count: one with few rows does not repeat them for ever
};

/// One rank's part in a ring of processes. While a round is open, a thread of its own waits for the token, exchanges a
/// prefix of the columns of this process's shared array, by the marks of a ruler, and sends the token on; the workers
/// train on. The token makes laps, beginning with rank 0. Rank 0 ends the round when all ranks together have trained
/// its rows, whichever ranks trained them, or when somebody asks to stop.
class rank_ring {
 public:
  virtual ~rank_ring() = default;

  /// Called between rounds, while nobody trains and all ranks have the same parameters. The arrays of `steep` must not
  /// change until the round is merged or abandoned.
  virtual void open(const round_plan& round, const round_rows& rows, const known_curvature& steep) = 0;
  /// Called after the workers have finished their rows: waits until the round is over (true), or until it is known that
  /// other ranks are so far behind that this one should train on (false). Throws what the thread threw.
  virtual bool wait_for_end() = 0;
  /// Called after the end, when nobody trains any more: all ranks take the merged parameters, with the scale of each
  /// multiplied in. Throws worker_error.
  virtual void merge(collective& ranks) = 0;
  /// Ends the thread if an exception ends the round.
  virtual void abandon() noexcept = 0;

  virtual link_report report() const = 0;
};

/// Store and link must outlive the ring; when a round is over, the ring tells the store's control block to stop.
std::unique_ptr<rank_ring> make_rank_ring(const param_store& store, message_link& link,
                                          std::vector<parameter_group> groups, const rank_ring_options& options);

/// A run of this process's workers, `members`, which train one replica of a ring of processes: engine.ranks and
/// engine.link.
std::unique_ptr<engine_run> join_ranks(std::unique_ptr<engine_run> members, const ring_engine& engine,
                                       const training_task& work, const loop_plan& plan);

}  // namespace hogwild::detail
