// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/task/loss_bound.hpp>
#include <hogwild/detail/task/margin_bound.hpp>
#include <hogwild/models/softmax.hpp>

namespace hogwild::detail {

/// Linear bounds of the mean loss of a linear model of several classes. If constants are free, the rows' tangents are
/// those at the best constants for these weights, mixed with one distribution for all rows in just the proportion that
/// makes the slopes by the constants 0. `parameters`: as softmax has them. Keeps the scores of all rows and classes, a
/// float each. Over all ranks, as coordinator_side::bound().
std::optional<loss_bound> bound_of_classes(const softmax& model, const sparse_view& rows, const label_map& labels,
                                           std::span<const float> parameters, constant_term constant,
                                           thread_team& threads, const agreement& ranks, const std::stop_token& stop);

/// Whether these scores take no more than 1 GiB.
constexpr bool has_class_bounds(std::size_t rows, std::size_t classes) {
  return rows * classes <= (std::size_t{1} << 28);
}

}  // namespace hogwild::detail
