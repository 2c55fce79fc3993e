// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/proximal.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/sharing/untrained.hpp>

namespace hogwild {

/// FTRL-Proximal with the regularisation of all rows of `epochs` epochs. For one pass it is the paper's form with
/// lambda1 = l1 * n; the lambdas grow with the passes, and with those of earlier runs, so that the objective is the one
/// of every other optimiser.
inline ftrl_rule ftrl_of(const loop_options& o, double alpha, double rows, double epochs) {
  const auto so_far = [&](double of_row) { return of_row * rows * epochs + of_row * o.earlier_rows; };
  return {.alpha = static_cast<float>(alpha),
          .beta = static_cast<float>(ftrl_beta_of(o.constants)),
          .lambda1 = static_cast<float>(so_far(o.l1)),
          .lambda2 = static_cast<float>(so_far(o.l2))};
}

/// Margin models with l1, or with l1 and l2 (elastic net), row by row. Under sgd and adagrad an entry applies the parts
/// of both that touched_l2 gives it, on rows without loss too, as a proximal step in the metric of its own step (Duchi
/// and Singer, Efficient online and batch learning using forward backward splitting, 2009; Duchi, Hazan and Singer,
/// 2011). With p = n / degree:
///
///   sgd      w = soft(w - step g, step l1 p) / (1 + step l2 p)
///   adagrad  g += l2 p w;  s += g^2;  r = step / sqrt(s + 1e-8);  w = soft(w - r g, r l1 p)
///
/// except for the part applied at the gate (l1_at_the_gate): together they apply the l1 of every row over an epoch, and
/// no column is owed any at its end. Under ftrl rows without loss change nothing: ftrl_rule computes the weights from
/// its sums; the bias moves as far as the weight of its sums, from wherever the best constant has put it. The bias is
/// not regularised.
template <class Sharing>
class margin_proximal_step : public margin_row_step<Sharing> {
  using base = margin_row_step<Sharing>;
  using base::context_, base::columns_, base::step_, base::w_;

 public:
  margin_proximal_step(const Sharing& sharing, margin_loss loss, const step_context& context)
      : base(sharing, loss, context), squares_(state(0)), sums_(state(1)) {
    if (context.options.optimizer == optimizer_kind::ftrl) return;
    for (const std::uint32_t degree : context.degree) parts_.push_back(part_of_l1(context.rows, degree));
  }

  void begin(const round_plan& round, double position) {
    base::begin(round, position);
    squares_ = state(0), sums_ = state(1);
    rule_ = ftrl_of(context_.options, round.step, static_cast<double>(context_.rows), round.epoch);
  }

  template <class Reader, class Note>
  bool train(const Reader& w, const sparse_row<float>& z, const Note& note) {
    const float slope = base::slope_of(w, z);
    const auto l1 = static_cast<float>((1.0 - l1_at_the_gate) * context_.options.l1);
    const auto l2 = static_cast<float>(context_.options.l2);
    switch (context_.options.optimizer) {
      case optimizer_kind::ftrl:
        return slope != 0.0f && change(z, slope, note, [&](std::size_t j, float v, float g, float part) {
                 return part > 0.0f ? by_ftrl(j, v, g, rule_) : bias_by_ftrl(v, g);
               });
      case optimizer_kind::sgd:
        return change(z, slope, note, [&](std::size_t, float v, float g, float part) {
          return soft_threshold(v - step_ * g, step_ * l1 * part) / (1.0f + step_ * l2 * part);
        });
      case optimizer_kind::adagrad:
      case optimizer_kind::row_adagrad:  // the same with one weight a column
        return change(z, slope, note, [&](std::size_t j, float v, float g, float part) {
          if (part > 0.0f) g = (g + l2 * part * v) * unit_;
          const float square = g * g, sum = squares_.read_add(j, square) + square;
          const float size = step_ / std::sqrt(sum + adagrad<view>::epsilon);
          return soft_threshold(v - size * g, size * unit_ * l1 * part);
        });
      default:
        throw_untrained("a margin model", context_.options);
    }
  }

 private:
  using view = typename Sharing::view_type;

  /// The k-th array of state, or an unused one if the optimiser has none.
  view state(std::size_t k) const {
    return k < state_arrays_of(context_.options.optimizer) ? Sharing::state(k) : Sharing::parameters();
  }

  /// moved(j, w, g, p) applies the gradient g to the weight w; the bias has p = 0.
  template <class Note, class Moved>
  bool change(const sparse_row<float>& z, float slope, const Note& note, const Moved& moved) {
    const auto move = [&](std::size_t j, float g, float part) {
      const float before = w_.load(j), after = moved(j, before, g, part);
      if (after != before) note(j, w_.read_add(j, after - before));
    };
    for (auto [j, x] : z) move(j, slope * x, parts_.empty() ? 1.0f : parts_[j]);
    if (context_.options.bias && slope != 0.0f) change_bias(slope, note, moved);
    return true;
  }

  /// The bias is a column's weight times that column's value; sgd multiplies by both values at once, and the sums of
  /// adagrad are in the column's unit.
  template <class Note, class Moved>
  void change_bias(float slope, const Note& note, const Moved& moved) {
    const optimizer_kind by = context_.options.optimizer;
    const float weight = by == optimizer_kind::sgd ? 1.0f : bias_value(context_.options), before = w_.load(columns_);
    const float partial = by == optimizer_kind::sgd    ? slope * context_.options.bias_rate
                          : by == optimizer_kind::ftrl ? slope * weight
                                                       : slope;
    const float after = weight * moved(columns_, before / weight, partial, 0.0f);
    if (after != before) note(columns_, w_.read_add(columns_, after - before));
  }

  float by_ftrl(std::size_t j, float w, float g, const ftrl_rule& rule) const {
    const float root = squares_.load(j), more = rule.gain_of_root(g, root), gain = rule.gain(g, w, more);
    squares_.add(j, more);
    return rule.weight(sums_.read_add(j, gain) + gain, root + more);
  }

  /// The weight of a bias that is now at `w`.
  float bias_by_ftrl(float w, float g) const {
    const ftrl_rule rule = rule_.without_l1_and_l2();
    const float root = squares_.load(columns_), more = rule.gain_of_root(g, root);
    const float gain = rule.gain(g, rule.weight(sums_.load(columns_), root), more);
    squares_.add(columns_, more);
    const float sum = sums_.read_add(columns_, gain);  // others may have added, too: they move the bias by themselves
    return w + (rule.weight(sum + gain, root + more) - rule.weight(sum, root));
  }

  view squares_, sums_;
  std::vector<float> parts_;  ///< n / degree of each column; empty under ftrl
  ftrl_rule rule_{};
  float unit_ = adagrad_unit(context_.options);
};

}  // namespace hogwild
