// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/task/loss_bound.hpp>
#include <hogwild/detail/task/margin_loss.hpp>

namespace hogwild {
class agreement;
}

namespace hogwild::detail {

enum class constant_term { none, fixed, free };

constexpr constant_term constant_of(bool has_one, bool is_frozen) {
  return !has_one ? constant_term::none : is_frozen ? constant_term::fixed : constant_term::free;
}

/// Linear bounds of the mean of a convex margin loss. With a constant term that is free it is the tangents at the best
/// one for these weights: of losses with kinks, between those at two constants that have it between them, so that the
/// slope by the constant is 0. (The value of the bound's minimum with l2 is the dual objective at the slopes of the
/// rows: Shalev-Shwartz and Zhang, Stochastic dual coordinate ascent methods, JMLR 2013.) Where the loss falls for ever
/// in the constant, slopes are 0. `parameters`: one weight a column, behind them the constant term. Of all ranks, as
/// coordinator_side::bound().
std::optional<loss_bound> bound_of_margins(const margin_loss& loss, double smoothness, const sparse_view& rows,
                                           const label_map& labels, std::span<const float> parameters,
                                           constant_term constant, thread_team& threads, const agreement& ranks,
                                           const std::stop_token& stop);

}  // namespace hogwild::detail
