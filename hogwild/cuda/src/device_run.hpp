// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <hogwild/engines.hpp>

#include "runtime.hpp"

namespace hogwild::device {

/// A run of workers of which the first ones drive a device each; `engine.workers` are all of them. As start() of the
/// engine.
std::unique_ptr<engine_run> start_threads(const thread_engine& engine, std::vector<std::unique_ptr<runtime>> devices,
                                          const training_task& task, const loop_plan& plan, const note_function& note);
/// The process of such a worker opens the device.
std::unique_ptr<engine_run> start_processes(const process_engine& engine, const training_task& task,
                                            const loop_plan& plan, const note_function& note);

}  // namespace hogwild::device
