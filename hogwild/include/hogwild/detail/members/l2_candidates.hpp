// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace hogwild::detail {

/// Throws config_error if one of these l2 is negative or not a number, or is repeated.
void require_candidates(std::vector<double> l2);

}  // namespace hogwild::detail
