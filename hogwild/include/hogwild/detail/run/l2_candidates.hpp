// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace hogwild::detail {

/// Throws config_error where one of these l2 is negative or no number, or stands twice.
void require_candidates(std::vector<double> l2);

}  // namespace hogwild::detail
