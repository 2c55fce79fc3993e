// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/step.hpp>

namespace hogwild {

/// As margin_adagrad_step, by kernels on arrays that nobody else writes meanwhile: row after row, with other rounding.
template <class Sharing, class Index, class Value>
class margin_adagrad_batch : public margin_kernel_step<Sharing, Index, Value> {
  using base = margin_kernel_step<Sharing, Index, Value>;
  using base::context_, base::data_, base::updates_;

 public:
  margin_adagrad_batch(const Sharing& sharing, margin_loss loss, const step_context& context, const sparse_view& data)
      : base(sharing, loss, context, data), unit_(adagrad_unit(context.options)) {
    if (context.options.l2 == 0.0) return;
    l2_ = fractions_of_l2(context, data.columns);
    for (float& fraction : l2_) fraction *= unit_;
  }

  void begin(const round_plan& round, double) {
    bias_ = arrays_in(Sharing::values()).bias, sum_of_bias_ = arrays_in(Sharing::state_values()).bias;
    bias_step_ = static_cast<float>(round.step) * bias_step_factor(context_.options);
    update_.to = {.weights = Sharing::values().data()};
    update_.sums = {.weights = Sharing::state_values().data()};
    update_.step = static_cast<float>(round.step);
    update_.l2_of = l2_.empty() ? nullptr : l2_.data();
  }

  batch_outcome train_batch(std::span<const std::size_t> rows) {
    batch_outcome outcome = base::take(rows);
    base::kernels_.adagrad(update_, base::batch_, response_of<row_response, &margin_adagrad_batch::respond>(this));
    outcome.updates = l2_.empty() ? updates_ : rows.size();
    return outcome;
  }

 private:
  margin_arrays arrays_in(std::span<float> values) const {
    return {.weights = values.data(), .bias = context_.options.bias != 0 ? values.data() + data_.columns : nullptr};
  }

  /// Moves the bias too, because its step differs from that of the columns.
  float respond(std::size_t i, float margin) {
    const float slope = base::slope_of(i, bias_ != nullptr ? margin + *bias_ : margin);
    if (slope == 0.0f) return 0.0f;
    ++updates_;
    if (bias_ != nullptr) step_bias_by_adagrad(*bias_, *sum_of_bias_, slope, bias_step_);
    return slope * unit_;
  }

  float unit_;
  std::vector<float> l2_;  ///< of each column
  float *bias_ = nullptr, *sum_of_bias_ = nullptr;
  float bias_step_ = 0;
  row_update<margin_arrays> update_{};
};

}  // namespace hogwild
