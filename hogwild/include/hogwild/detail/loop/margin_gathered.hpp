// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/proximal.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/optimization/block_optimizer.hpp>

namespace hogwild {

/// Margin models in lockstep where a step moves all columns: under optimisers with state, and under sgd with l1. Rows
/// gather gradients; when all ranks have summed them, each makes the same step by their mean g, with the step size s of
/// the position in the epoch at which they meet, which is shorter if fewer rows meet than usual:
///
///   sgd with l1  w = soft(w - s g, s l1) / (1 + s l2)      (except for the part applied at the gate: l1_at_the_gate)
///   others       as block_optimizer does by g + l2 w         (joined_l2)
///
/// for every column, whether a row of this meeting has it or not. The bias is not regularised. Belongs to one worker,
/// and must not be moved.
template <class Sharing>
class margin_gathered_step : public margin_row_step<Sharing> {
  using base = margin_row_step<Sharing>;
  using base::context_, base::columns_;

 public:
  margin_gathered_step(const Sharing& sharing, margin_loss loss, const step_context& context)
      : base(sharing, loss, context) {
    Sharing::set_sum_receiver(this, [](void* self, double gain_weight, double part, double position) {
      static_cast<margin_gathered_step*>(self)->step(gain_weight, part, position);
    });
  }
  margin_gathered_step(const margin_gathered_step&) = delete;
  margin_gathered_step& operator=(const margin_gathered_step&) = delete;

  template <class Reader, class Note>
  bool train(const Reader& w, const sparse_row<float>& z, const Note& note) {
    const float slope = base::slope_of(w, z);
    if (slope == 0.0f) return false;
    const std::span<float> gains = Sharing::gains();  // as sgd adds them: against the gradient
    for (auto [j, x] : z) {
      gains[j] -= slope * x;
      note(j, w[j]);
    }
    if (context_.options.bias) gains[columns_] -= slope;
    return true;
  }

 private:
  void step(double gain_weight, double part, double position) {
    // A round begins where the earlier parts of its epoch end, on all ranks alike.
    const round_plan& round = Sharing::round();
    const auto rows = static_cast<double>(std::max<std::size_t>(context_.rows, 1));
    const double size = part * round.step_at(position / rows + static_cast<double>(round.part) / round.parts);
    const loop_options& o = context_.options;
    const std::span<float> sums = Sharing::gains();
    for (float& x : sums) x *= static_cast<float>(-gain_weight);
    if (o.optimizer == optimizer_kind::sgd)
      proximal_step(sums, static_cast<float>(size * o.exchange.scale));
    else
      optimizer_step(sums, size);
    std::ranges::fill(sums, 0.0f);
  }

  void proximal_step(std::span<const float> g, float size) const {
    const std::span<float> w = Sharing::values();
    const auto l1 = size * static_cast<float>((1.0 - l1_at_the_gate) * context_.options.l1);
    const auto l2 = size * static_cast<float>(context_.options.l2);
    for (std::size_t j = 0; j < columns_; ++j) w[j] = soft_threshold(w[j] - size * g[j], l1) / (1.0f + l2);
    for (std::size_t j = columns_; j < w.size(); ++j) w[j] -= size * bias_step_factor(context_.options) * g[j];
  }

  void optimizer_step(std::span<float> g, double size) const {
    using view = param_view<float>;
    const loop_options& o = context_.options;
    const std::size_t arrays = state_arrays_of(o.optimizer);
    const auto state = [&](std::size_t k) { return Sharing::own_state(std::min(k, arrays - 1)); };
    // With one weight a column, row_adagrad is adagrad.
    const auto kind = o.optimizer == optimizer_kind::row_adagrad ? optimizer_kind::adagrad : o.optimizer;
    const auto optimizer = [&](const optimizer_constants& constants) {
      return block_optimizer<view>(kind, constants, Sharing::own_parameters(),
                                   std::array<view, 3>{state(0), state(1), state(2)});
    };
    const std::span<const float> w = Sharing::values();
    const auto l2 = static_cast<float>(joined_l2(o, size, o.l2));
    const float unit = adagrad_unit(o);
    for (std::size_t j = 0; j < columns_; ++j) g[j] = (g[j] + l2 * w[j]) * unit;
    const auto scaled = static_cast<float>(size * o.exchange.scale);
    optimizer(o.constants).block(0, g.first(columns_), scaled);
    if (columns_ < g.size())
      optimizer(constants_of_bias(o)).block(columns_, g.subspan(columns_), scaled * bias_step_factor(o));
  }
};

}  // namespace hogwild
