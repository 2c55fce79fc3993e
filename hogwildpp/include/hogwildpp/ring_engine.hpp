// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/task/worker_decorators.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/detail/transports/message_link.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

/// The division of a ring's workers among its replicas.
struct ring_layout {
  std::size_t replicas = 1;            ///< of this process; 1: no ring
  ring_rule rule = ring_rule::deltas;  ///< what replicas exchange
  std::size_t ranks = 1;               ///< processes, each with its own replicas
};

/// Hogwild++: replicas of the model, each trained by its own workers without locks, form a ring. A token names one of
/// them. A worker of that replica that has just exchanged with the replica then exchanges the replica with the ring
/// (exchange_rule.hpp), and passes the token on. No worker waits for the token. At the end of a round the replicas are
/// merged, so that all begin the next round with the same parameters. Workers train under buffered sharing on their
/// replica.
///
/// Consecutive workers share a replica, which lies on one memory node. They are bound to CPUs near it (placement.hpp of
/// core): processes as long as they live, threads while they train.
struct ring_engine {
  std::optional<std::size_t> workers{};  ///< > 0, of all replicas together; default: as many as this process may use
  /// > 0, at most the number of workers; default: one for each memory node that the process may use. With one replica
  /// there is no ring: this is Hogwild!
  std::optional<std::size_t> replicas{};
  ring_rule rule = ring_rule::deltas;                     ///< what replicas exchange
  released_options released{};                            ///< for rule released
  transport_kind transport = transport_kind::in_process;  ///< whether workers are threads or processes
  thread_team_kind team = thread_team_kind::openmp;       ///< the library of their threads
  bool pin = true;                       ///< binds workers; never OpenMP threads that OMP_PROC_BIND has bound
  std::string program{};                 ///< for workers that are processes: see process_engine
  std::vector<std::string> arguments{};  ///< likewise

  /// For several processes, on one machine or several, that form a ring too: the collective of all of them, and this
  /// process's links to its neighbours on the ring. Give both or neither; both outlive the run. Only for rule deltas.
  collective* ranks = nullptr;
  message_link* link = nullptr;                           ///< see `ranks`; null: this process is alone
  delta_values message_values = delta_values::as_stored;  ///< the precision of changes in messages between processes
  /// How long a rank waits for the token before the run ends with worker_error.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);

  /// The division of `available` workers among replicas. Throws config_error if there are fewer workers than replicas
  /// asked for; the message includes `why_fewer`, the reason why fewer workers are available than were asked for, if it
  /// is given.
  ring_layout layout(std::size_t available, const std::string& why_fewer = {}) const;
};

/// Throws rank_failure on all processes of a ring unless they exchange in the same way. Their numbers of workers and
/// replicas may differ.
void require_same_engine(const ring_engine& engine, const agreement& ranks);

/// Throws config_error as layout() does, and for options that a ring does not support.
std::size_t plan_sharing(const ring_engine& engine, run_planner& run);
/// The task must outlive the engine's run.
std::unique_ptr<engine_run> start(const ring_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

namespace detail {
std::unique_ptr<training_task> on_a_ring(std::unique_ptr<training_task> whole, const joined_worker& place);
}  // namespace detail

/// The name of the decorator for worker processes that train replicas, in the run's segment.
inline constexpr std::string_view ring_workers = "ring";
/// Makes a worker process one that trains a replica.
inline const worker_decoration ring_decoration{ring_workers, detail::on_a_ring};

}  // namespace hogwild
