// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <hogwild/cuda/on_devices.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/engines.hpp>

#include "runtime.hpp"

namespace hogwild::device {

using detail::start_function;

/// Opens the devices that the options name, for the workers in the first slots.
std::vector<std::unique_ptr<runtime>> open_devices(const loop_options& options);

/// Starts a run whose first workers drive a device each. They are threads, which drive these devices; `start` starts
/// them with the task that it is given, which outlives the result. `name` is the run's name if it differs from that of
/// the run that `start` returns.
std::unique_ptr<engine_run> start_threads(std::vector<std::unique_ptr<runtime>> devices, const training_task& task,
                                          const loop_plan& plan, const note_function& note, const start_function& start,
                                          std::string_view name = {});
/// The same with processes, each of which opens the device of its slot.
std::unique_ptr<engine_run> start_processes(const training_task& task, const loop_plan& plan, const note_function& note,
                                            const start_function& start, std::string_view name = {});

}  // namespace hogwild::device
