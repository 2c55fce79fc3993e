// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwildpp/ring_engine.hpp>

namespace hogwild::detail {

/// A run of this process's workers, `members`, which train one replica of a ring of processes: engine.ranks and
/// engine.link.
std::unique_ptr<engine_run> join_ranks(std::unique_ptr<engine_run> members, const ring_engine& engine,
                                       const training_task& work, const loop_plan& plan);

}  // namespace hogwild::detail
