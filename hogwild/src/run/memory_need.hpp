// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <hogwild/detail/task/training_task.hpp>

namespace hogwild::detail {

/// Bytes that a run's workers hold in all: the block that they share, and of replicas of their own what they train and
/// what they saw last.
std::uint64_t memory_need(const training_task& task, const loop_plan& plan, std::size_t workers);

/// Throws resource_error, with the sizes, where a control group has not as much left: it would kill workers one after
/// the other.
void require_granted_memory(const training_task& task, const loop_plan& plan, std::size_t workers);

}  // namespace hogwild::detail
