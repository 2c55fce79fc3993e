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
// with several workers has a member `workers`; one that divides them among replicas also has layout(workers), a
// ring_layout.

namespace hogwild {

/// What a crew may tell while it works.
using note_function = std::function<void(std::string_view)>;

/// How an engine divides its workers among replicas on a ring.
struct ring_layout {
  std::size_t replicas = 1;  ///< 1: no ring
  ring_rule rule = ring_rule::deltas;
};

/// One worker, in the calling thread: the reference for all others.
struct serial_engine {};

/// Workers are threads of this process.
struct thread_engine {
  std::size_t workers = 0;  ///< 0: as many as this process may use (topology.hpp)
  team_kind team = team_kind::openmp;
  bool pin = true;  ///< one CPU for each std thread; OpenMP follows OMP_PLACES and OMP_PROC_BIND
};

std::unique_ptr<crew> hire(const serial_engine& engine, const job& work, const note_function& note);
std::unique_ptr<crew> hire(const thread_engine& engine, const job& work, const note_function& note);

}  // namespace hogwild
