// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <hogwild/detail/members/several_run.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/run/checkpoint_origin.hpp>
#include <hogwild/detail/run/prepare.hpp>

namespace hogwild::detail {

/// Completes the plan from the data. Throws config_error if there are too few classes, rows or models.
void complete(several_plan& plan, const prepared_task& all, std::size_t ranks);

/// The values that must be the same on all ranks, each of which has all rows. Engines may differ.
std::vector<named_value> what_is_trained(const several_plan& plan, const prepared_task& all);

/// The values that must be the same for a run to go on from a checkpoint. `side_by_side`: whether the models go through
/// the rows together.
checkpoint_origin origin_of(const several_plan& plan, const prepared_task& all, bool side_by_side);

}  // namespace hogwild::detail
