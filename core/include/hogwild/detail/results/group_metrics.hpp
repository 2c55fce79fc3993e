// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// Measures rows that are ranked among those of their group only, such as the results of a query or what a user was
// shown. Plain functions, as those of metrics.hpp: spans are equally long, and weights may be empty.

namespace hogwild {

/// The mean area under the ROC curve of the groups that have rows of both classes, each by the weight of its rows (Zhu
/// et al., Optimized cost per click in Taobao display advertising, KDD 2017, section 3.3). A label above zero is +1,
/// every other -1. Nothing if no group has both, or a score is NaN. O(n log n).
std::optional<double> group_auc(std::span<const float> scores, std::span<const float> labels,
                                std::span<const float> weights, std::span<const std::uint32_t> groups);

/// The normalised discounted cumulative gain of the ten rows of each group with the best scores (Järvelin and
/// Kekäläinen 2002; gains 2^label - 1 as in Burges et al. 2005), the mean over groups:
///
///     DCG = sum over places i = 1 ... 10 of (2^label(i) - 1) / log2(i + 1),    NDCG = DCG / that of the best order
///
/// Labels are grades of relevance: whole numbers up to 30, where none above 0 is 0. Rows of equal scores share their
/// places. Each group counts once, and weights do not count. Groups without a label above 0 have no best order, and are
/// left out. Nothing if all are, a label is no grade, or a score is NaN. O(n log n).
std::optional<double> ndcg_at_10(std::span<const float> scores, std::span<const float> labels,
                                 std::span<const float> weights, std::span<const std::uint32_t> groups);

}  // namespace hogwild
