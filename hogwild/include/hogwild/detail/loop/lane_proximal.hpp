// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <hogwild/detail/loop/lane_step.hpp>

namespace hogwild {

/// Margin models with l1 side by side, on parameters that nobody else writes meanwhile: each is trained as by
/// margin_proximal_step, so that every row sees the changes of the one before, whatever the batch size.
template <class Sharing, class Index, class Value>
class lane_proximal_batch : public Sharing {
 public:
  static constexpr std::size_t most_rows = batch_rows;

  lane_proximal_batch(const Sharing& sharing, margin_loss loss, const lane_table& table, const step_context& context,
                      const sparse_view& data)
      : Sharing(sharing),
        loss_(loss),
        data_(data),
        has_bias_(context.options.bias != 0),
        bias_rate_(context.options.bias_rate),
        kernels_(lane_kernels_of<Index, Value>(context.options.dense_isa)),
        batch_(batch_on<Index, Value>(data)),
        state_(kernels_, table, context, data) {}

  void begin(const round_plan& round, double position) { state_.begin(round, position); }

  /// At most most_rows rows of the data, which have passed ensure().
  batch_outcome train_batch(std::span<const std::size_t> rows) {
    std::array<std::size_t, batch_rows> kept;
    return one_by_one(batch_, data_, state_.taken(rows, kept), [this](std::size_t r) { train_row(r); });
  }

 private:
  void train_row(std::size_t r) {
    const std::size_t lanes = state_.lanes();
    float* const w = Sharing::values().data();
    float* const bias = has_bias_ ? w + data_.columns * lanes : nullptr;
    kernels_.row_dots(w, lanes, batch_, margin_.data());
    state_.label(r, label_.data());
    state_.margins(r, bias != nullptr ? bias : no_biases.data(), margin_.data(), shrunk_.data());
    loss_.derivatives(lanes, margin_.data(), label_.data(), slope_.data());
    state_.weigh(r, slope_.data());
    const lane_proximal by = state_.proximal(r, slope_.data());
    kernels_.proximal(w, lanes, batch_, by);
    for (std::size_t k = 0; bias != nullptr && k < lanes; ++k) {
      const float before = bias[k], after = before - by.step[k] * (by.slope[k] * bias_rate_);
      if (after != before) bias[k] += after - before;
    }
  }

  margin_loss loss_;
  sparse_view data_;
  bool has_bias_;
  float bias_rate_;
  const lane_kernels<Index, Value>& kernels_;
  row_batch<Index, Value> batch_;
  lane_state<lane_kernels<Index, Value>> state_;
  alignas(64) std::array<float, most_lanes> margin_, label_, slope_, shrunk_;
};

}  // namespace hogwild
