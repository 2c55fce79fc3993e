// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/optimization/proximal.hpp>

namespace hogwild {

/// FTRL-Proximal with the regularisation of all rows of `epochs` epochs. One pass is the paper's form with lambda1 = l1
/// * n; that the lambdas grow with the passes keeps the objective what it is for every other optimiser.
inline ftrl_rule ftrl_of(const loop_options& o, double alpha, double rows, double epochs) {
  return {.alpha = static_cast<float>(alpha),
          .beta = static_cast<float>(o.constants.ftrl_beta),
          .lambda1 = static_cast<float>(o.l1 * rows * epochs),
          .lambda2 = static_cast<float>(o.l2 * rows * epochs)};
}

/// Margin models with l1, and with l2 beside it (elastic net), row by row: under sgd and adagrad an entry takes of both
/// what touched_l2 says, on rows without loss too, as a proximal step in the metric of its own step (Duchi and Singer,
/// Efficient online and batch learning using forward backward splitting, 2009; Duchi, Hazan and Singer, 2011):
///
///   sgd      w = soft(w - step * g, step * l1 * n / degree) / (1 + step * l2 * n / degree)
///   adagrad  g += l2 * n / degree * w;  s += g^2;  r = step / sqrt(s + 1e-8);  w = soft(w - r * g, r * l1 * n /
///   degree)
///
/// but for what is taken at the gate (l1_at_the_gate): over an epoch that is the l1 of every row, and no column is owed
/// any at its end. Under ftrl rows without loss
/// change nothing: ftrl_rule has the weights from its sums. The bias is not regularised.
template <class Sharing>
class margin_proximal_step : public Sharing {
 public:
  margin_proximal_step(const Sharing& sharing, margin_loss loss, const step_context& context)
      : Sharing(sharing),
        loss_(loss),
        context_(context),
        l1_{by_degree((1.0 - l1_at_the_gate) * context.options.l1)},
        l2_{by_degree(context.options.l2)},
        bias_(Sharing::parameters().size() - 1),
        w_(Sharing::parameters()),
        squares_(state(0)),
        sums_(state(1)) {}

  void begin(const round_plan& round, double) {
    w_ = Sharing::parameters(), squares_ = state(0), sums_ = state(1);
    step_ = static_cast<float>(round.step);
    rule_ = ftrl_of(context_.options, round.step, static_cast<double>(context_.rows), round.epoch);
  }
  sparse_row<float> example(row_cursor& rows, std::size_t r) const { return labelled_row(rows, r, context_.labels); }

  template <class Reader, class Note>
  bool train(const Reader& w, const sparse_row<float>& z, const Note& note) {
    float margin = dot(w, z);
    if (context_.options.bias) margin += w[bias_];
    const float slope = weighed_slope(loss_, margin, z);
    if (slope == 0.0f && context_.options.optimizer == optimizer_kind::ftrl) return false;
    for (auto [j, x] : z) {
      const float before = w_.load(j), after = moved(j, before, slope * x, taken_of(l1_, j), taken_of(l2_, j), rule_);
      if (after != before) note(j, w_.read_add(j, after - before));
    }
    if (context_.options.bias && slope != 0.0f) {
      const ftrl_rule free{.alpha = rule_.alpha, .beta = rule_.beta};
      const float before = w_.load(bias_);
      note(bias_, w_.read_add(bias_, moved(bias_, before, slope, 0.0f, 0.0f, free) - before));
    }
    return true;
  }

 private:
  using view = typename Sharing::view_type;

  /// A k-th array of state, or anything where the optimiser has none.
  view state(std::size_t k) const {
    return k < state_arrays_of(context_.options.optimizer) ? Sharing::state(k) : Sharing::parameters();
  }
  /// What touched_l2 wants to know; nothing where weights have it from their sums.
  double by_degree(double strength) const {
    return context_.options.optimizer == optimizer_kind::ftrl ? 0.0 : strength * static_cast<double>(context_.rows);
  }
  float taken_of(const touched_l2& of, std::size_t j) const {
    return of.l2_rows == 0.0 ? 0.0f : static_cast<float>(of.fraction(context_.degree[j]));
  }

  /// What a gradient g makes of a weight w, as the optimiser has it.
  float moved(std::size_t j, float w, float g, float l1, float l2, const ftrl_rule& rule) const {
    switch (context_.options.optimizer) {
      case optimizer_kind::sgd:
        return soft_threshold(w - step_ * g, step_ * l1) / (1.0f + step_ * l2);
      case optimizer_kind::ftrl: {
        const float root = squares_.load(j), more = rule.gain_of_root(g, root), gain = rule.gain(g, w, more);
        squares_.add(j, more);
        return rule.weight(sums_.read_add(j, gain) + gain, root + more);
      }
      default: {  // adagrad, which row_adagrad is where a column has one weight
        g += l2 * w;
        const float square = g * g, sum = squares_.read_add(j, square) + square;
        const float size = step_ / std::sqrt(sum + adagrad<view>::epsilon);
        return soft_threshold(w - size * g, size * l1);
      }
    }
  }

  margin_loss loss_;
  step_context context_;
  touched_l2 l1_, l2_;  ///< 0 under ftrl
  std::size_t bias_;
  view w_, squares_, sums_;
  ftrl_rule rule_{};
  float step_ = 0;
};

}  // namespace hogwild
