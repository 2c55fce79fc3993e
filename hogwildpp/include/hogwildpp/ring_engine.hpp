// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/engines.hpp>
#include <hogwild/team.hpp>

namespace hogwild {

/// Where the replicas of a ring live.
enum class ring_transport {
  in_process,     ///< workers are threads of this process
  shared_segment  ///< workers are processes on one named segment
};

/// Hogwild++: replicas of the model, each trained by its own workers without locks, pass a token around a ring; whose
/// replica it names, that worker exchanges with the others (exchange_rule.hpp) when it has exchanged with its replica,
/// and passes it on. Nobody waits for the token. At the end of a round the replicas are merged, and begin the next one
/// alike. Workers train under buffered sharing on their replica.
///
/// Consecutive workers share a replica. Where its memory lies is left to the system so far.
struct ring_engine {
  std::size_t workers = 0;  ///< of all replicas together; 0: as many as this process may use (topology.hpp)
  std::size_t replicas =
      0;  ///< at most one a worker; 0: one for each memory node. One replica is no ring, but Hogwild!
  ring_rule rule = ring_rule::deltas;
  ring_transport transport = ring_transport::in_process;
  team_kind team = team_kind::openmp;    ///< of threads
  bool pin = true;                       ///< as for thread_engine and process_engine
  std::string program{};                 ///< of processes: see process_engine
  std::vector<std::string> arguments{};  ///< of processes

  /// Who takes part, of `crew` workers. Throws config_error where they are fewer than the replicas asked for.
  ring_layout layout(std::size_t crew) const;
};

std::unique_ptr<crew> hire(const ring_engine& engine, const job& work, const note_function& note);

}  // namespace hogwild
