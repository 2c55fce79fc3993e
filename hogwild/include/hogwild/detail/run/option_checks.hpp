// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/options.hpp>

namespace hogwild::detail {

/// Throws config_error for options that lie outside their range, or do not go with each other or with the model: what
/// can be said before there are rows.
void check_options(const train_options& options, const model_traits& traits);

}  // namespace hogwild::detail
