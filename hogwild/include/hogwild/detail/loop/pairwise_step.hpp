// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <hogwild/detail/kernels/pairwise_kernels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/rating_blocks.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/model/kernel_models.hpp>

namespace hogwild {

/// Trains pairwise models under sgd and row_adagrad by kernels, which work on whole arrays of the sharing policy: those
/// of a worker alone, or shared ones, where updates may be lost. Draws the same items as workspace_step does.
template <pairwise_model M, class Sharing>
class pairwise_step : public Sharing {
 public:
  /// The most pairs between two progress reports.
  static constexpr std::size_t most_rows = 4096;

  /// `pairs`: all rows of the data, in their order.
  pairwise_step(const Sharing& sharing, const M& m, const step_context& context, std::span<const rating> pairs,
                const side_data_t<M>& side)
      : Sharing(sharing),
        model_(m),
        context_(context),
        pairs_(pairs),
        side_(side),
        kernels_(pairwise_kernels_of(context.options.dense_isa)) {}

  void begin(const round_plan& round, double position) {
    to_ = arrays_in(Sharing::values().data());
    to_.step = static_cast<float>(context_.step_at(round, position));
    to_.l2 = static_cast<float>(context_.options.l2);
    seed_ = context_.options.seed ^ mix_bits(round.pass);
  }

  batch_outcome train_run(std::size_t first, std::size_t count) {
    batch_outcome outcome{.updates = 0, .nonzeros = 2 * count};
    for (std::size_t at = first; at < first + count; at += compared_.size())
      outcome.updates += train(at, std::min(compared_.size(), first + count - at));
    return outcome;
  }

 private:
  factor_arrays arrays_in(float* w) const {
    return {.users = w,
            .items = w + model_.item_row(0),
            .item_bias = model_.bias ? w + model_.item_bias(0) : nullptr,
            .width = model_.width()};
  }

  std::size_t train(std::size_t first, std::size_t count) {
    std::size_t n = 0;
    for (std::size_t r = first; r < first + count; ++r) {
      const rating& pair = pairs_[r];
      const auto other = model_.other_item(*side_, pair.user, counter_random(seed_, r));
      if (other && *other != pair.item) compared_[n++] = {pair.user, pair.item, *other, pair.value * side_->per_weight};
    }
    if constexpr (Sharing::traits.whole_state()) {
      if (context_.options.optimizer == optimizer_kind::row_adagrad) {
        const std::size_t apart = context_.options.row_state != 0 ? 1 : model_.width();
        kernels_.row_adagrad(to_, sums_in(Sharing::state_values().data(), model_.users, model_.items, false, apart),
                             compared_.data(), n);
        return n;
      }
    }
    kernels_.sgd(to_, compared_.data(), n);
    return n;
  }

  M model_;
  step_context context_;
  std::span<const rating> pairs_;
  const side_data_t<M>& side_;
  const pairwise_kernels& kernels_;
  factor_arrays to_{};
  std::uint64_t seed_ = 0;
  std::array<compared_pair, 256> compared_;
};

}  // namespace hogwild
