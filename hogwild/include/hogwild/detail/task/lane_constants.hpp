// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <span>
#include <stop_token>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// minimise_constant() (model_constant.hpp) for models side by side, of which `alone` is one: for each lane in `which`,
/// on its training rows, with the bits of a model alone. Lane k's weights are scale[k] * v for the stored v. After a
/// request to stop some constants may be unchanged.
void minimise_lane_constants(const training_task& alone, const lane_table& table, const param_store& store,
                             std::span<const double> scale, const std::bitset<most_lanes>& which, thread_team& threads,
                             const std::stop_token& stop = {});

}  // namespace hogwild
