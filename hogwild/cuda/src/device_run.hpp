// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hogwild/engines.hpp>

#include "runtime.hpp"

namespace hogwild::device {

/// A run of workers of which the first one drives a device; `engine.workers` are all of them. As start() of the engine.
std::unique_ptr<engine_run> start_threads(const thread_engine& engine, std::unique_ptr<runtime> device,
                                          const training_task& task, const loop_plan& plan, const note_function& note);
/// The process that has the first worker opens the device.
std::unique_ptr<engine_run> start_processes(const process_engine& engine, const training_task& task,
                                            const loop_plan& plan, const note_function& note);

}  // namespace hogwild::device
