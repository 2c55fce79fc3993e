// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/detail/loop/step.hpp>

// Kernel calls for one row and several models side by side that have more than one weight a column. The type of a
// model's arrays selects the kernels. Parameter i of model k lies at i * lanes + k.

namespace hogwild {

/// Calls f.operator()<Models>() with a number of lanes.
template <class F>
void with_lanes(std::size_t lanes, const F& f) {
  if (lanes == 8)
    f.template operator()<8>();
  else if (lanes == 16)
    f.template operator()<16>();
  else
    f.template operator()<most_lanes>();
}

/// How much of the l2 of each model an entry applies.
class lane_l2 {
 public:
  lane_l2(const lane_table& table, const step_context& context, std::size_t columns) {
    const bool joins = context.options.optimizer == optimizer_kind::adagrad;
    const bool each = context.options.form == l2_form::per_occurrence;
    for (std::size_t k = 0; k < table.lanes; ++k) has_[k] = table.of[k].trains && table.of[k].touched_l2 > 0.0;
    if (std::ranges::none_of(has_, [](bool has) { return has; })) return;
    of_.assign(columns * table.lanes, joins ? 0.0f : 1.0f);
    for (std::size_t k = 0; k < table.lanes; ++k) {
      if (!has_[k]) continue;
      const lane_round& lane = table.of[k];
      const touched_l2 l2{lane.touched_l2 * static_cast<double>(table.rows_of(k, context.rows))};
      for (std::size_t j = 0; j < columns; ++j) {
        const auto fraction = static_cast<float>(
            each ? lane.touched_l2 : l2.fraction(std::max(table.degree_of(k, j, context.degree[j]), 1u)));
        of_[j * table.lanes + k] = joins ? fraction : 1.0f / (1.0f + static_cast<float>(lane.step) * fraction);
      }
    }
  }

  /// For column j and model k, at j * lanes + k, as row kernels take it: under sgd the factor by which an entry shrinks
  /// a weight, under adagrad the fraction that joins the gradient. Null if no model has l2.
  const float* of_columns() const { return of_.empty() ? nullptr : of_.data(); }
  bool has(std::size_t model) const { return has_[model]; }

 private:
  std::array<bool, most_lanes> has_{};
  std::vector<float> of_{};
};

/// The parameters of all models, and the optimiser's sums for each; empty if it keeps none.
struct lane_arrays {
  std::span<float> values{}, sums{};
};

/// Models with such arrays side by side. A row has scores() scores for each model, which lie side by side, too. Belongs
/// to a thread.
template <class Arrays, class Index, class Value>
class row_lanes;

template <class Index, class Value>
class row_lanes<class_arrays, Index, Value> {
 public:
  using batch = row_batch<Index, Value>;

  /// `bias_factor`: bias_step_factor(), where biases change.
  row_lanes(const auto& m, std::size_t columns, std::size_t lanes, isa set, float bias_factor = 1.0f)
      : classes_(m.classes),
        bias_(m.bias),
        weights_(columns * m.classes * lanes),
        lanes_(lanes),
        bias_factor_(bias_factor),
        kernels_(lane_kernels_of<Index, Value>(set)) {}

  std::size_t scores() const { return classes_; }

  /// Scores of a row.
  void score(const float* w, const batch& row, float* out) {
    kernels_.scores(w, bias_ ? w + weights_ : nullptr, classes_ * lanes_, row, out);
  }

  /// Changes the parameters by the row that was scored last, with these steps and the derivatives of its scores.
  void change(const lane_arrays& of, const batch& row, const float* slope, const float* step, const lane_l2& l2) {
    float* const w = of.values.data();
    kernels_.class_changes(w, lanes_, row, {slope, step, l2.of_columns(), classes_});
    for (std::size_t i = 0; bias_ && i < classes_ * lanes_; ++i)
      if (step[i % lanes_] != 0.0f) w[weights_ + i] -= step[i % lanes_] * bias_factor_ * slope[i];
  }

 private:
  std::size_t classes_;
  bool bias_;
  std::size_t weights_, lanes_;
  float bias_factor_;
  const lane_kernels<Index, Value>& kernels_;
};

template <class Index, class Value>
class row_lanes<fm_arrays, Index, Value> {
 public:
  using batch = row_batch<Index, Value>;

  row_lanes(const auto& m, std::size_t columns, std::size_t lanes, isa set, float = 1.0f)
      : width_(m.kernel_room()),
        columns_(columns),
        lanes_(lanes),
        kernels_(lane_kernels_of<Index, Value>(set)),
        room_(2 * width_ * lanes) {}

  std::size_t scores() const { return 1; }

  void score(const float* w, const batch& row, float* out) {
    // The kernel only reads through these arrays.
    kernels_.fm_scores(arrays_in(const_cast<float*>(w)), lanes_, row, room_.data(), out);
  }

  /// A row without a slope changes a model by its l2 alone.
  void change(const lane_arrays& of, const batch& row, const float* slope, const float* step, const lane_l2& l2) {
    alignas(64) std::array<float, most_lanes> moves;
    for (std::size_t k = 0; k < lanes_; ++k) moves[k] = slope[k] != 0.0f || l2.has(k) ? step[k] : 0.0f;
    kernels_.fm_changes(lanes_, row,
                        {.to = arrays_in(of.values.data()),
                         .sums = of.sums.empty() ? fm_arrays{} : arrays_in(of.sums.data()),
                         .room = room_.data(),
                         .slope = slope,
                         .step = moves.data(),
                         .l2 = l2.of_columns()});
  }

 private:
  fm_arrays arrays_in(float* w) const {
    float* const weights = w + columns_ * width_ * lanes_;
    return {.factors = w, .weights = weights, .bias = weights + columns_ * lanes_, .width = width_};
  }

  std::size_t width_, columns_, lanes_;
  const lane_kernels<Index, Value>& kernels_;
  std::vector<float> room_;
};

}  // namespace hogwild
