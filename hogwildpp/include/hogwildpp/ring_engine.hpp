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
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/engines/worker_decorators.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/transports/message_link.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

/// The division of a ring's workers among its replicas.
struct ring_layout {
  std::size_t replicas = 1;            ///< 1: no ring
  ring_rule rule = ring_rule::deltas;  ///< what replicas tell each other
  std::size_t ranks = 1;               ///< processes with as many replicas each
};

/// Hogwild++: replicas of the model, each trained by its own workers without locks, pass a token around a ring; whose
/// replica it names, that worker exchanges with the others (exchange_rule.hpp) when it has exchanged with its replica,
/// and passes it on. Nobody waits for the token. At the end of a round the replicas are merged, and begin the next one
/// alike. Workers train under buffered sharing on their replica.
///
/// Consecutive workers share a replica. It lies on a memory node, and its workers are bound to CPUs near it, as
/// placement.hpp of core says: processes for as long as they live, threads while they train.
struct ring_engine {
  std::optional<std::size_t> workers{};  ///< > 0, of all replicas together; default: as many as this process may use
  /// > 0, at most one a worker; default: one for each memory node that the process may use. One replica is no ring, but
  /// Hogwild!
  std::optional<std::size_t> replicas{};
  ring_rule rule = ring_rule::deltas;                     ///< what replicas tell each other
  released_options released{};                            ///< for rule released
  transport_kind transport = transport_kind::in_process;  ///< how processes talk
  thread_team_kind team = thread_team_kind::openmp;       ///< of threads
  bool pin = true;                       ///< binds workers; never OpenMP threads that OMP_PROC_BIND has bound
  std::string program{};                 ///< of processes: see process_engine
  std::vector<std::string> arguments{};  ///< of processes

  /// Several processes, on one machine or several, whose models are replicas on a ring too: all their ranks, and this
  /// one's ends of the ring; both or none, and both outlive the run. Rule deltas only.
  collective* ranks = nullptr;
  message_link* link = nullptr;                           ///< to the processes of the ring; null: this one is alone
  delta_values message_values = delta_values::as_stored;  ///< how precisely messages between processes tell changes
  /// How long a rank waits for the token before the run ends with worker_error.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);

  /// The replicas and workers that take part, of `available` workers. Throws config_error where these are fewer than
  /// the replicas asked for; it says `why_fewer` there are than were asked for, where there is a reason.
  ring_layout layout(std::size_t available, const std::string& why_fewer = {}) const;
};

/// Throws rank_failure on all processes of a ring unless they exchange alike; workers and replicas are each one's own.
void require_same_engine(const ring_engine& engine, const agreement& ranks);

/// Throws config_error as layout() does, and for options that do not go with a ring.
std::size_t plan_sharing(const ring_engine& engine, run_planner& run);
std::unique_ptr<engine_run> start(const ring_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

namespace detail {
std::unique_ptr<training_task> on_a_ring(std::unique_ptr<training_task> whole, const joined_worker& place);
}  // namespace detail

/// The name of worker processes that train replicas, in their segment.
inline constexpr std::string_view ring_workers = "ring";
inline const worker_decoration ring_decoration{ring_workers, detail::on_a_ring};

}  // namespace hogwild
