// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace hogwild {

class training_task;
class param_store;
struct loop_plan;

/// The run that a worker process has joined.
struct joined_worker {
  const param_store& store;  ///< outlives the task, as does the plan
  const loop_plan& plan;
  std::size_t slot = 0;
  std::size_t workers = 1;  ///< that the supervisor has started
};

/// Wraps a worker process's task before the worker trains, for example as that of one replica on a ring.
using worker_decorator = std::unique_ptr<training_task> (*)(std::unique_ptr<training_task> whole,
                                                            const joined_worker& place);

/// Registers a decorator by its name for the life of the program. The header of an engine that has one holds it as an
/// inline variable, so that every program that includes the header has it, from a static library too. Constructed
/// before main() or by one thread at a time; `name` is a literal.
struct worker_decoration {
  worker_decoration(std::string_view name, worker_decorator decorate);
};

/// The decorator for a run whose options name devices: it wraps the task first, the engine's own decorator wraps the
/// result.
inline constexpr std::string_view device_workers = "device";

/// Throws segment_error where this program has no decorator of that name.
worker_decorator worker_decorator_of(std::string_view name);

/// A spawned worker finds this on its command line, followed by the segment's name and its slot.
inline constexpr const char* worker_marker = "--hogwild-worker";

}  // namespace hogwild
