// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <hogwild/crew.hpp>
#include <hogwild/team.hpp>

// Who runs the worker loop. An engine is a plain struct of options; hire() turns it into a crew for a job. An engine
// with several workers has a member `workers`; one that divides them among replicas also has layout(workers,
// why_fewer), a ring_layout, which names that reason where it refuses so few; one whose library may grant fewer threads
// than were asked for has grantable(engine, asked).

namespace hogwild {

/// What a crew may tell while it works.
using note_function = std::function<void(std::string_view)>;

/// How an engine divides its workers among replicas on a ring.
struct ring_layout {
  std::size_t replicas = 1;  ///< 1: no ring
  ring_rule rule = ring_rule::deltas;
  std::size_t ranks = 1;  ///< processes with as many replicas each
};

/// How often the workers of a synchronous engine meet, and to what end (sync_engine.hpp).
enum class sync_rule { gradients, average };
struct sync_layout {
  sync_rule rule = sync_rule::gradients;
  std::size_t rows = 1;            ///< of each worker between two meetings
  bool scale_step = false;         ///< gradients: the step times the number of workers
  double patience_seconds = 30.0;  ///< how long workers wait for one that is not there
};

/// One worker, in the calling thread: the reference for all others.
struct serial_engine {};

/// Workers are threads of this process.
struct thread_engine {
  std::size_t workers = 0;  ///< 0: as many as this process may use (topology.hpp)
  team_kind team = team_kind::openmp;
  bool pin = true;  ///< one CPU for each std thread; OpenMP follows OMP_PLACES and OMP_PROC_BIND
};

/// How many of `asked` workers can train at most, from where train() is called (team.hpp).
inline std::size_t grantable(const thread_engine& engine, std::size_t asked) {
  return grantable(engine.team, asked);
}

std::unique_ptr<crew> hire(const serial_engine& engine, const job& work, const note_function& note);
std::unique_ptr<crew> hire(const thread_engine& engine, const job& work, const note_function& note);

}  // namespace hogwild
