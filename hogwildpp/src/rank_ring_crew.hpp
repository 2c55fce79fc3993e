// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hogwild/crew.hpp>
#include <hogwildpp/ring_engine.hpp>

namespace hogwild::detail {

/// This process's workers, `members`, which train one replica of a ring of processes: engine.ranks and engine.link.
std::unique_ptr<crew> join_ranks(std::unique_ptr<crew> members, const ring_engine& engine, const job& work,
                                 const loop_plan& plan);

}  // namespace hogwild::detail
