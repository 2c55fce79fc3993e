// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/loop/batch_labels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/loop/step.hpp>

namespace hogwild {

/// As margin_adagrad_step, by kernels on arrays that nobody else writes meanwhile: row after row, with other rounding.
template <class Sharing, class Index, class Value>
class margin_adagrad_batch : public Sharing {
 public:
  static constexpr std::size_t most_rows = batch_rows;

  margin_adagrad_batch(const Sharing& sharing, margin_loss loss, const step_context& context, const sparse_view& data)
      : Sharing(sharing),
        loss_(loss),
        context_(context),
        data_(data),
        kernels_(kernels_of<Index, Value>(context.options.isa)),
        batch_(batch_on<Index, Value>(data)),
        labels_(data),
        unit_(adagrad_unit(context.options)) {
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

  /// At most most_rows rows of the data, which have passed ensure().
  batch_outcome train_batch(std::span<const std::size_t> rows) {
    batch_outcome outcome{.nonzeros = take_rows(batch_, data_, rows)};
    labels_.take(data_, context_.labels, rows);
    updates_ = 0;
    kernels_.adagrad(update_, batch_, {respond, this});
    outcome.updates = l2_.empty() ? updates_ : rows.size();
    return outcome;
  }

 private:
  margin_arrays arrays_in(std::span<float> values) const {
    return {.weights = values.data(), .bias = context_.options.bias != 0 ? values.data() + data_.columns : nullptr};
  }

  static float respond(void* self, std::size_t i, float margin) {
    return static_cast<margin_adagrad_batch*>(self)->slope_of(i, margin);
  }

  /// Moves the bias too, because its step differs from that of the columns.
  float slope_of(std::size_t i, float margin) {
    if (bias_ != nullptr) margin += *bias_;
    const float slope = labels_.weigh(i, loss_.derivative(labels_.margin(i, margin), labels_[i]));
    if (slope == 0.0f) return 0.0f;
    ++updates_;
    if (bias_ != nullptr) {
      *sum_of_bias_ += slope * slope;
      *bias_ -= bias_step_ * slope / std::sqrt(std::max(*sum_of_bias_, 0.0f) + adagrad<param_view<float>>::epsilon);
    }
    return slope * unit_;
  }

  margin_loss loss_;
  step_context context_;
  sparse_view data_;
  const margin_kernels<Index, Value>& kernels_;
  row_batch<Index, Value> batch_;
  batch_labels labels_;
  float unit_;
  std::vector<float> l2_;  ///< of each column
  float *bias_ = nullptr, *sum_of_bias_ = nullptr;
  float bias_step_ = 0;
  row_update<margin_arrays> update_{};
  std::uint64_t updates_ = 0;
};

}  // namespace hogwild
