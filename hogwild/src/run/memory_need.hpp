// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <hogwild/detail/task/training_task.hpp>

namespace hogwild::detail {

/// Total bytes of a run's workers: the block that they share and, for replicas of their own, the trained values and
/// those of the last exchange.
std::uint64_t memory_need(const training_task& task, const loop_plan& plan, std::size_t workers);

/// Throws resource_error, with the sizes, if a control group has less memory left: it would kill workers one after the
/// other.
void require_granted_memory(const training_task& task, const loop_plan& plan, std::size_t workers);

}  // namespace hogwild::detail
