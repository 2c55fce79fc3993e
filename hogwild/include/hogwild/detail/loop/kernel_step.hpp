// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/loop/step.hpp>

namespace hogwild {

/// What steps by kernels have in common that train row after row, under sgd and adagrad: where a model's parameters and
/// sums lie, and how they change. Nothing is frozen but biases.
template <class M, class Sharing>
class kernel_step : public Sharing {
 public:
  static constexpr std::size_t most_rows = batch_rows;

  kernel_step(const Sharing& sharing, const M& m, const step_context& context)
      : Sharing(sharing), model_(m), context_(context) {
    update_.biases = context.options.frozen_groups == 0;
  }

  void begin(const round_plan& round, double position) {
    update_.to = model_.arrays_in(Sharing::values().data());
    if (sums_up_squares()) update_.sums = model_.arrays_in(Sharing::state_values().data());
    update_.step = static_cast<float>(
        round.step_at(position / static_cast<double>(std::max<std::size_t>(context_.epoch_rows, 1))));
  }

 protected:
  using arrays = decltype(std::declval<const M&>().arrays_in(nullptr));

  bool sums_up_squares() const { return context_.options.optimizer == optimizer_kind::adagrad; }

  M model_;
  step_context context_;
  row_update<arrays> update_{};
};

}  // namespace hogwild
