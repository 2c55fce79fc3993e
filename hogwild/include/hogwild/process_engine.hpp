// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/engines.hpp>

namespace hogwild {

/// Workers are processes on one named shared-memory segment. This process supervises: it spawns them, opens and closes
/// the rounds, measures, and replaces workers that die; the others never wait for a dead one. The program that workers
/// run calls worker_main (worker_main.hpp) first thing in main.
struct process_engine {
  std::optional<std::size_t> workers{};  ///< > 0; default: as many as this process may use (topology.hpp)
  bool pin = true;                       ///< one CPU for each worker, where there are as many
  std::string program{};                 ///< what to spawn; empty: this very program
  std::vector<std::string> arguments{};  ///< before the marker: a subcommand, say
};

/// Throws config_error in a process that was itself started as a worker, or for a model that is not trivially copyable.
std::unique_ptr<engine_run> start(const process_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);
std::size_t plan_sharing(const process_engine& engine, run_planner& run);

/// The same for an engine whose workers do their task as a decorator has them (worker_decorators.hpp); empty: as it is.
std::unique_ptr<engine_run> start_decorated(const process_engine& engine, const training_task& task,
                                            const loop_plan& plan, const note_function& note,
                                            std::string_view decorator);

/// What a spawned worker finds on its command line, followed by the segment's name and its slot.
inline constexpr const char* worker_marker = "--hogwild-worker";

}  // namespace hogwild
