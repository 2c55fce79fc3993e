// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/collective.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/loop_options.hpp>
#include <hogwild/team.hpp>
#include <hogwild/transport.hpp>
#include <hogwildpp/delta_message.hpp>

namespace hogwild {

/// Where the replicas of a ring live.
enum class ring_transport {
  in_process,     ///< workers are threads of this process
  shared_segment  ///< workers are processes on one named segment
};

/// How a ring divides its workers among replicas.
struct ring_layout {
  std::size_t replicas = 1;  ///< 1: no ring
  ring_rule rule = ring_rule::deltas;
  std::size_t ranks = 1;  ///< processes with as many replicas each
};

/// The messages of a ring between processes.
struct ring_messages {
  delta_values values = delta_values::as_stored;  ///< how precisely they tell what changed
  /// How long a rank waits for the token before the run ends with worker_error.
  std::chrono::nanoseconds patience = std::chrono::seconds(30);
};

/// Hogwild++: replicas of the model, each trained by its own workers without locks, pass a token around a ring; whose
/// replica it names, that worker exchanges with the others (exchange_rule.hpp) when it has exchanged with its replica,
/// and passes it on. Nobody waits for the token. At the end of a round the replicas are merged, and begin the next one
/// alike. Workers train under buffered sharing on their replica.
///
/// Consecutive workers share a replica. It lies on a memory node, and its workers are bound to CPUs near it, as
/// placement.hpp of core says: processes for as long as they live, threads while they train.
struct ring_engine {
  std::size_t workers = 0;   ///< of all replicas together; 0: as many as this process may use (topology.hpp)
  std::size_t replicas = 0;  ///< at most one a worker; 0: one for each memory node that the process may use. One
                             ///< replica is no ring, but Hogwild!
  ring_rule rule = ring_rule::deltas;
  ring_transport transport = ring_transport::in_process;
  team_kind team = team_kind::openmp;    ///< of threads
  bool pin = true;                       ///< binds workers; never OpenMP threads that OMP_PROC_BIND has bound
  std::string program{};                 ///< of processes: see process_engine
  std::vector<std::string> arguments{};  ///< of processes

  /// Several processes, on one machine or several, whose models are replicas on a ring too: all their ranks, and this
  /// one's ends of the ring; both or none, and both outlive the run. Rule deltas only.
  collective* ranks = nullptr;
  hogwild::transport* link = nullptr;
  ring_messages messages{};

  /// Who takes part, of `crew` workers. Throws config_error where they are fewer than the replicas asked for; it says
  /// `why_fewer` there are than were asked for, where there is a reason.
  ring_layout layout(std::size_t crew, const std::string& why_fewer = {}) const;
};

/// Throws config_error as layout() does, and for options that do not go with a ring.
std::size_t plan_sharing(const ring_engine& engine, run_planner& run);
std::unique_ptr<crew> hire(const ring_engine& engine, const job& task, const loop_plan& plan,
                           const note_function& note);

}  // namespace hogwild
