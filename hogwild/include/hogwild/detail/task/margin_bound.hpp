// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/detail/task/loss_bound.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild {
class agreement;
}

namespace hogwild::detail {

enum class constant_term { none, fixed, free };

constexpr constant_term constant_of(bool has_one, bool is_frozen) {
  return !has_one ? constant_term::none : is_frozen ? constant_term::fixed : constant_term::free;
}

/// Linear bounds of the mean of a convex margin loss. If the constant term is free, the tangents are those at the best
/// constant for these weights; for losses with kinks they lie between those at two constants that bracket it, so that
/// the slope with respect to the constant is 0. (The minimum of the bound with l2 is the dual objective at the slopes
/// of the rows: Shalev-Shwartz and Zhang, Stochastic dual coordinate ascent methods, JMLR 2013.) If no constant
/// minimises the loss, slopes are 0. `parameters`: one weight a column, followed by the constant term. Over all ranks,
/// like coordinator_side::bound().
std::optional<loss_bound> bound_of_margins(const margin_loss& loss, double smoothness, const sparse_view& rows,
                                           const label_map& labels, std::span<const float> parameters,
                                           constant_term constant, thread_team& threads, const agreement& ranks,
                                           const std::stop_token& stop);

}  // namespace hogwild::detail
