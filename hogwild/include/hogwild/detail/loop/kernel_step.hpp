// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/model/kernel_models.hpp>

namespace hogwild {

/// Calls train.operator()<Factor>() with the type in which a worker stores factors of the model: half or float.
template <class M, class Sharing, class F>
void with_factors(const Sharing&, const loop_options& options, const F& train) {
  if constexpr (half_factor_model<M> && Sharing::traits.replicated) {
    if (options.halves.count > 0) return train.template operator()<half>();
  }
  train.template operator()<float>();
}

/// The model's arrays from w on, with factors of this type.
template <class Factor, class M>
auto arrays_with(const M& m, float* w) {
  if constexpr (std::same_as<Factor, half>)
    return m.half_arrays_in(w);
  else
    return m.arrays_in(w);
}

/// The common part of steps by kernels that train row after row, under sgd and adagrad: where a model's parameters and
/// sums lie, and how they change. Only biases can be frozen.
template <class M, class Sharing, class Factor>
class kernel_step : public Sharing {
 public:
  static constexpr std::size_t most_rows = batch_rows;

  kernel_step(const Sharing& sharing, const M& m, const step_context& context)
      : Sharing(sharing), model_(m), context_(context) {
    update_.biases = context.options.frozen_groups == 0;
  }

  void begin(const round_plan& round, double position) {
    update_.to = arrays_with<Factor>(model_, Sharing::values().data());
    if (sums_up_squares()) update_.sums = model_.arrays_in(Sharing::state_values().data());
    update_.step = static_cast<float>(context_.step_at(round, position));
    chance_of_pass_ = static_cast<std::uint32_t>(counter_random(context_.options.seed, 0x68616c66u).bits(round.pass));
  }

 protected:
  using arrays = decltype(arrays_with<Factor>(std::declval<const M&>(), nullptr));

  /// Begins a run of rows at `row`: random rounding depends on the row, not on the worker that trains it.
  void begin_rows(std::size_t row) { update_.chance = chance_of_pass_ + static_cast<std::uint32_t>(row) * 0x9e3779b9u; }

  bool sums_up_squares() const { return context_.options.optimizer == optimizer_kind::adagrad; }

  M model_;
  step_context context_;
  row_update<arrays> update_{};

 private:
  std::uint32_t chance_of_pass_ = 0;
};

}  // namespace hogwild
