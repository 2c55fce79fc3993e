// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>

// Margin models under optimisers that fade: velocities and means do so at every row, for all columns. A row owes its
// step to the columns that it does not have. Each worker counts its own rows: it makes the owed steps of a column
// before it reads the column next, and those of all columns before a mean is taken and at the end of a round, or of a
// chunk if its arrays then pass to another worker. So memories fade with the rows of all workers that share an array,
// as if each row changed all columns (workspace_step does the same by batches).

namespace hogwild {

/// The l2 that an entry of each column adds to the gradient (joined_l2). Empty if there is no l2.
inline std::vector<float> fading_l2(const step_context& context, std::size_t columns, double step) {
  if (context.options.l2 == 0.0) return {};
  std::vector<float> fractions = fractions_of_l2(context, columns);
  for (float& f : fractions) f = static_cast<float>(joined_l2(context.options, step, static_cast<double>(f)));
  return fractions;
}

/// Row by row, wherever the parameters are.
template <class Sharing>
class margin_fading_step : public margin_row_step<settled_sharing<margin_fading_step<Sharing>, Sharing>> {
  using settled = settled_sharing<margin_fading_step, Sharing>;
  using base = margin_row_step<settled>;
  using base::context_, base::columns_, base::step_;

 public:
  margin_fading_step(const Sharing& sharing, margin_loss loss, const step_context& context)
      : base(settled(sharing, context.options.sharing), loss, context) {}

  void begin_round(const round_plan& round) {
    Sharing::begin_round(round);
    l2_ = fading_l2(context_, columns_, round.step);
  }
  void begin(const round_plan& round, double position) {
    base::begin(round, position);
    optimizer_ = optimizer_on<optimizer>(*this, context_.options);
    bias_optimizer_ = optimizer_on<optimizer>(*this, options_of_bias());
  }
  void settle_all() {
    for (std::size_t j = 0; j < columns_; ++j) settle(j);
  }

  /// Makes the steps that are owed to the row's columns.
  void settle(const sparse_row<float>& z) {
    for (auto [j, x] : z) settle(j);
  }

  template <class Reader, class Note>
  bool train(const Reader& w, const sparse_row<float>& z, const Note& note) {
    settle(z);
    const float slope = base::slope_of(w, z);
    const bool changes = slope != 0.0f || !l2_.empty();
    ++rows_;
    if (changes)
      for (auto [j, x] : z) {
        note(j, optimizer_.step(j, l2_.empty() ? slope * x : slope * x + l2_[j] * w[j], step_));
        settled_[j] = rows_;
      }
    if (context_.options.bias)
      note(columns_, bias_optimizer_.step(columns_, slope, bias_step_factor(context_.options) * step_));
    return changes || context_.options.bias;
  }

 private:
  using optimizer = block_optimizer<typename Sharing::view_type>;

  loop_options options_of_bias() const {
    loop_options options = context_.options;
    options.constants = constants_of_bias(options);
    return options;
  }
  void settle(std::size_t j) {
    optimizer_.settle(j, 1, rows_ - settled_[j], step_);
    settled_[j] = rows_;
  }

  optimizer optimizer_ = optimizer_on<optimizer>(*this, context_.options);
  optimizer bias_optimizer_ = optimizer_on<optimizer>(*this, options_of_bias());
  /// For each column, the number of rows whose steps it has.
  std::vector<std::uint32_t> settled_ = std::vector<std::uint32_t>(columns_);
  std::vector<float> l2_{};  ///< of each column; empty: there is none
  std::uint32_t rows_ = 0;   ///< of this worker in this round
};

/// Whether margin_fading_batch trains by it; any other goes row by row.
constexpr bool has_fading_kernel(optimizer_kind kind) {
  return kind == optimizer_kind::momentum || kind == optimizer_kind::adam;
}

/// The same by kernels, on arrays that nobody else writes meanwhile: row after row, with other rounding.
template <class Sharing, class Index, class Value>
class margin_fading_batch
    : public margin_kernel_step<settled_sharing<margin_fading_batch<Sharing, Index, Value>, Sharing>, Index, Value> {
  using settled = settled_sharing<margin_fading_batch, Sharing>;
  using base = margin_kernel_step<settled, Index, Value>;
  using base::context_, base::data_, base::updates_;

 public:
  margin_fading_batch(const Sharing& sharing, margin_loss loss, const step_context& context, const sparse_view& data)
      : base(settled(sharing, context.options.sharing), loss, context, data), settled_(data.columns) {}

  void begin_round(const round_plan& round) {
    Sharing::begin_round(round);
    l2_ = fading_l2(context_, data_.columns, round.step);
    const optimizer_constants& c = context_.options.constants;
    bias_step_ = static_cast<float>(round.step) * bias_step_factor(context_.options);
    update_ = {.columns = data_.columns,
               .now = update_.now,
               .settled = settled_.data(),
               .l2_of = l2_.empty() ? nullptr : l2_.data(),
               .step = static_cast<float>(round.step),
               .momentum = static_cast<float>(c.momentum),
               .beta1 = static_cast<float>(c.beta1),
               .beta2 = static_cast<float>(beta2_of(context_.options.optimizer, c)),
               .epsilon = static_cast<float>(epsilon_of(c)),
               .least_square = static_cast<float>(least_square_of(c))};
  }
  void begin(const round_plan&, double) {
    update_.weights = Sharing::values().data();
    update_.first = Sharing::state_values(0).data();
    update_.second = Sharing::state_values(1).data();
    update_.steps = Sharing::state_values(2).data();
    const auto of_bias = [&](std::span<float> all) { return view(all.subspan(data_.columns)); };
    if (context_.options.bias != 0)
      bias_.emplace(context_.options.optimizer, constants_of_bias(context_.options), of_bias(Sharing::values()),
                    std::array<view, 3>{of_bias(Sharing::state_values(0)), of_bias(Sharing::state_values(1)),
                                        of_bias(Sharing::state_values(2))});
  }

  batch_outcome train_batch(std::span<const std::size_t> rows) {
    batch_outcome outcome = base::take(rows);
    fading_.rows(update_, base::batch_, response_of<row_response, &margin_fading_batch::respond>(this));
    update_.now += static_cast<std::uint32_t>(rows.size());
    outcome.updates = bias_ || update_.l2_of != nullptr ? rows.size() : updates_;
    return outcome;
  }

  void settle_all() {
    if (update_.weights != nullptr) fading_.settle(update_);
  }

 private:
  using fading_kernels = typename margin_kernels<Index, Value>::fading;

  fading_kernels kernels_for(optimizer_kind kind) const {
    static_assert(std::ranges::count_if(optimizers, [](const auto& of) { return has_fading_kernel(of.kind); }) == 2,
                  "choose the kernels of each optimiser that has some");
    return kind == optimizer_kind::momentum ? base::kernels_.momentum : base::kernels_.adam;
  }

  /// Moves the bias too, because its step differs from that of the columns.
  float respond(std::size_t i, float margin) {
    const float slope = base::slope_of(i, bias_ ? margin + Sharing::values()[data_.columns] : margin);
    updates_ += slope != 0.0f;
    if (bias_) bias_->step(0, slope, bias_step_);
    return slope;
  }

  using view = param_view<float>;

  fading_kernels fading_ = kernels_for(context_.options.optimizer);
  std::vector<std::uint32_t> settled_;
  std::vector<float> l2_;
  fading_update update_{};
  std::optional<block_optimizer<view>> bias_{};
  float bias_step_ = 0;
};

}  // namespace hogwild
