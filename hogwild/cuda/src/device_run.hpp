// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <hogwild/cuda/on_devices.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/engines.hpp>

#include "runtime.hpp"

namespace hogwild::device {

using detail::start_function;

/// The devices that the options name, opened for the workers in the first slots.
std::vector<std::unique_ptr<runtime>> open_devices(const loop_options& options);

/// A run of workers of whom the first ones drive a device each. They are threads, which drive these devices; `start`
/// has them begin with the task that it is given, which outlives what it returns. `name` is the run's, if not that of
/// what `start` returns.
std::unique_ptr<engine_run> start_threads(std::vector<std::unique_ptr<runtime>> devices, const training_task& task,
                                          const loop_plan& plan, const note_function& note, const start_function& start,
                                          std::string_view name = {});
/// They are processes, each of which opens the device of its slot.
std::unique_ptr<engine_run> start_processes(const training_task& task, const loop_plan& plan, const note_function& note,
                                            const start_function& start, std::string_view name = {});

}  // namespace hogwild::device
