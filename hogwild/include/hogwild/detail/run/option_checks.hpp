// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/options.hpp>

namespace hogwild::detail {

/// Throws config_error for options that are out of range, or incompatible with each other or with the model: all checks
/// that need no rows.
void check_options(const train_options& options, const model_traits& traits);

/// Throws config_error if step * l2 is 1 or more, for weights that are stored with a scale (scaled_l2).
void require_below_one(double step_l2);

}  // namespace hogwild::detail
