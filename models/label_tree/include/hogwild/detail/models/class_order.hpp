// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/models/label_tree_shape.hpp>

namespace hogwild {

/// The class at each place of a tree, so that classes with similar rows are close: the means of the rows of all
/// classes, rows and means of length one, are cut into halves of equal size by 2-means, these again, and so on (Prabhu
/// and others, Parabel, 2018). Means have 64 numbers, sums of the columns with signs drawn for them, which keep angles
/// approximately. Within a group of the last level classes ascend. The same rows and labels give the same order.
std::vector<std::uint32_t> class_order(const sparse_view& rows, const label_map& labels, const label_tree_shape& shape);

}  // namespace hogwild
