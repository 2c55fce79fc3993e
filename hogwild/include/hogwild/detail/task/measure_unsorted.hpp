// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <hogwild/detail/task/evaluate.hpp>

namespace hogwild {

/// measure_scores() without the area under the curve, for which rows have to be sorted.
measurement measure_unsorted(label_kind kind, double mean_loss, std::span<const float> scores,
                             std::span<const float> labels, std::span<const float> weights);

}  // namespace hogwild
