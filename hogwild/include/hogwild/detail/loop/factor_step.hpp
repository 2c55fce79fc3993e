// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/factor_kernels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/block_source.hpp>
#include <hogwild/detail/loop/rating_blocks.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/model/kernel_models.hpp>

namespace hogwild {

/// The parameters of a factor model, in the form that kernels take.
template <factor_model M>
factor_arrays arrays_of(const M& m, float* w) {
  const std::size_t factors = (m.users + m.items) * m.width();
  factor_arrays arrays{.users = w,
                       .items = w + m.users * m.width(),
                       .user_bias = m.bias ? w + factors : nullptr,
                       .item_bias = m.bias ? w + factors + m.users : nullptr,
                       .width = m.width(),
                       .mean = m.mean};
  if constexpr (requires { m.full_weight_from; }) arrays.full_weight_from = m.full_weight_from;
  return arrays;
}

/// Trains factor models under sgd and row_adagrad by kernels, which work on whole arrays of the sharing policy. These
/// belong to the worker alone, or are shared; then either no other worker changes the rows in use, or updates may be
/// lost.
template <factor_model M, class Sharing>
class factor_step : public Sharing {
 public:
  /// The most ratings between two progress reports.
  static constexpr std::size_t most_rows = 4096;

  factor_step(const Sharing& sharing, const M& m, const step_context& context, const rating_list& list)
      : Sharing(sharing),
        model_(m),
        context_(context),
        ratings_(list.ratings),
        kernels_(factor_kernels_of(context.options.dense_isa)) {}

  void begin_round(const round_plan& round) {
    Sharing::begin_round(round);
    if (context_.options.form == l2_form::per_occurrence || context_.options.l2 == 0.0) return;
    // The kernel gets s / (1 + step * s) for a share s of l2. This divides a row by 1 + step * s, which cannot
    // overshoot zero.
    const touched_l2 l2 = context_.l2_of_entries();
    l2_.assign(model_.users + model_.items, 0.0f);
    for (std::size_t column = 0; column < l2_.size(); ++column) {
      if (context_.degree[column] == 0) continue;
      const double fraction = l2.fraction(context_.degree[column]);
      l2_[column] = static_cast<float>(fraction / (1.0 + round.step * fraction));
    }
  }

  void begin(const round_plan& round, double position) {
    to_ = arrays_of(model_, Sharing::values().data());
    to_.step = static_cast<float>(context_.step_at(round, position));
    to_.l2 = static_cast<float>(context_.options.l2);
    if (l2_.empty()) return;
    to_.user_l2 = l2_.data();
    to_.item_l2 = l2_.data() + model_.users;
  }

  batch_outcome train_run(std::size_t first, std::size_t count) {
    const rating* const run = ratings_.data() + first;
    if constexpr (Sharing::traits.whole_state()) {
      if (context_.options.optimizer == optimizer_kind::row_adagrad) {
        const std::size_t apart = context_.options.row_state != 0 ? 1 : model_.width();
        kernels_.row_adagrad(to_, sums_in(Sharing::state_values().data(), model_.users, model_.items, true, apart), run,
                             count);
        return {.updates = count, .nonzeros = 2 * count};
      }
    }
    kernels_.sgd(to_, run, count);
    return {.updates = count, .nonzeros = 2 * count};
  }

 private:
  M model_;
  step_context context_;
  std::span<const rating> ratings_;
  const factor_kernels& kernels_;
  factor_arrays to_{};
  std::vector<float> l2_;  ///< by column, if it differs between columns
};

}  // namespace hogwild
