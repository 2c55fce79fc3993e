// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include <hogwild/engines.hpp>

namespace hogwild {

/// start() of process_engine for an engine whose workers do their task as a decorator has them (worker_decorators.hpp);
/// empty: as it is.
std::unique_ptr<engine_run> start_decorated(const process_engine& engine, const training_task& task,
                                            const loop_plan& plan, const note_function& note,
                                            std::string_view decorator);

}  // namespace hogwild
