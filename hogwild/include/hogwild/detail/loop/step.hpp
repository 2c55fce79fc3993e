// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/control/control_block.hpp>
#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/detail/math/regularizer.hpp>
#include <hogwild/detail/optimization/block_optimizer.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/model.hpp>

// How one row changes the parameters. A step belongs to one worker. begin() is called at each chunk; from then on the
// step's sharing may read and write elsewhere. train() is called for each row: it reads through the reader it is given,
// calls note(j, before) after each add, and returns whether it changed anything. Steps for several rows at once are in
// batch_step.hpp.

namespace hogwild {

/// The inputs of a step besides its model.
struct step_context {
  const label_map& labels;
  std::span<const std::uint32_t> degree;  ///< rows that contain each column; needed for touched l2 only
  std::size_t rows = 0;                   ///< n
  const loop_options& options;
  std::size_t epoch_rows = 0;              ///< rows of an epoch, for a chunk's position in it: n, or this process's
  const control_block* control = nullptr;  ///< where a request to stop is seen; null: nowhere
};

/// The fraction of l2 that an entry of each column applies, by degree (touched_l2); arbitrary for a column without
/// entries.
inline std::vector<float> fractions_of_l2(const step_context& context, std::size_t columns) {
  const touched_l2 l2{context.options.l2 * static_cast<double>(context.rows)};
  std::vector<float> fractions(columns);
  for (std::size_t j = 0; j < columns; ++j)
    fractions[j] = static_cast<float>(l2.fraction(std::max(context.degree[j], 1u)));
  return fractions;
}

/// The coefficient of w in the term that l2 adds to a gradient if the optimiser makes steps of this size, for
/// parameters that apply this fraction of l2 when they are touched. If the optimiser steps by the gradient itself, l2
/// is a division by 1 + step * fraction (touched_l2).
inline double joined_l2(const loop_options& o, double step, double fraction) {
  if (!optimizer_facts_of(o.optimizer).one_step) return fraction;
  return fraction / (1.0 + step * o.exchange.scale * steps_of_partial(o.optimizer, o.constants) * fraction);
}

/// An optimiser on the arrays that a sharing policy uses at present.
template <class Optimizer, class Sharing>
Optimizer optimizer_on(const Sharing& sharing, const loop_options& options) {
  using view = typename Sharing::view_type;
  if constexpr (std::same_as<Optimizer, block_optimizer<view>>) {
    const std::size_t arrays = state_arrays_of(options.optimizer);
    const auto state = [&](std::size_t k) { return sharing.state(std::min(k, arrays - 1)); };
    return Optimizer(options.optimizer, options.constants, sharing.parameters(), {state(0), state(1), state(2)});
  } else if constexpr (Optimizer::state_arrays == 0) {
    return Optimizer(sharing.parameters());
  } else {
    return Optimizer(sharing.parameters(), sharing.state(0));
  }
}

/// Where parameters and the optimiser's state lie at present.
template <class View, class Optimizer>
struct trained_arrays {
  View parameters;
  Optimizer optimizer;
};
template <class Optimizer, class Sharing>
trained_arrays<typename Sharing::view_type, Optimizer> arrays_on(const Sharing& sharing, const loop_options& options) {
  return {sharing.parameters(), optimizer_on<Optimizer>(sharing, options)};
}

/// Row r with the label that the model trains on; valid until the cursor moves on.
inline sparse_row<float> labelled_row(row_cursor& rows, std::size_t r, const label_map& labels) {
  sparse_row<float> z = rows.row(r);
  z.label = labels.encode(rows.label(r));
  if (rows.view().label.lists()) z.classes = labels.encode_list(rows.view().label, r, rows.classes());
  return z;
}

/// A row's weight times the derivative of its loss with respect to its margin. `margin` is without the row's offset.
inline float weighed_slope(const margin_loss& loss, float margin, const sparse_row<float>& z) {
  return z.weight * loss.derivative(margin + z.offset, z.label);
}

/// Models of at most this many parameters lie on so few cache lines that workers always share them.
inline constexpr std::size_t crowded_parameters = 1024;

/// Margin models under sgd. The weights are w = a * v (scaled_l2); the last parameter is the bias if there is one,
/// which is neither scaled nor regularised.
///
/// No shrink of a is ever lost, but lossy adds to v may be. If a fraction q of them is lost, l2 is 1 / (1 - q) times
/// too strong: on kddcup99 (119 columns) two to four workers ended with an objective 1.0 to 1.4 % above serial. So in
/// small models each row settles the adds before it, which leaves 0.3 to 0.6 %.
template <class Sharing>
class margin_sgd_step : public Sharing {
 public:
  margin_sgd_step(const Sharing& sharing, margin_loss loss, const step_context& context)
      : Sharing(sharing),
        loss_(loss),
        context_(context),
        v_(Sharing::parameters()),
        crowded_(context.options.l2 > 0.0 && v_.size() <= crowded_parameters) {}

  void begin(const round_plan& round, double position) {
    v_ = Sharing::parameters();
    step_ = static_cast<float>(round.step);
    shrink_ = round.l2.between_rows();
    scale_ = round.l2.at(position);
  }
  sparse_row<float> example(row_cursor& rows, std::size_t r) const { return labelled_row(rows, r, context_.labels); }

  template <class Reader, class Note>
  bool train(const Reader& v, const sparse_row<float>& z, const Note& note) {
    const std::size_t bias = v_.size() - 1;
    float margin = static_cast<float>(scale_) * dot(v, z);
    if (context_.options.bias) margin += v[bias];
    const float slope = weighed_slope(loss_, margin, z);
    scale_ *= shrink_;
    if (slope == 0.0f) return false;
    const float change = -step_ * slope / static_cast<float>(scale_);
    if (crowded_) v_.settle_adds();
    for (std::size_t k = 0; k < z.size(); ++k) {
      const std::size_t j = z.index[k];
      note(j, v_.read_add(j, change * z.value[k]));
    }
    if (context_.options.bias) note(bias, v_.read_add(bias, -step_ * slope * context_.options.bias_rate));
    return true;
  }

 private:
  margin_loss loss_;
  step_context context_;
  typename Sharing::view_type v_;
  bool crowded_;
  float step_ = 0;
  double shrink_ = 1, scale_ = 1;
};

/// Margin models under sgd with l2 in a second pass over the row, on rows without loss too (Hogwild!, NIPS 2011, in the
/// form of its program):
///
///   w_j -= step * slope * x_j        for each entry, if there is a loss; the bias likewise
///   w_j *= 1 - step * l2 * n / degree_j        for each entry; not the bias
///
/// Over an epoch each weight shrinks about as much as by l2 of every row. Weights are stored as they are.
template <class Sharing>
class margin_two_pass_step : public Sharing {
 public:
  margin_two_pass_step(const Sharing& sharing, margin_loss loss, const step_context& context)
      : Sharing(sharing),
        loss_(loss),
        context_(context),
        l2_{context.options.l2 * static_cast<double>(context.rows)},
        w_(Sharing::parameters()) {}

  void begin(const round_plan& round, double) {
    w_ = Sharing::parameters();
    step_ = static_cast<float>(round.step);
  }
  sparse_row<float> example(row_cursor& rows, std::size_t r) const { return labelled_row(rows, r, context_.labels); }

  template <class Reader, class Note>
  bool train(const Reader& w, const sparse_row<float>& z, const Note& note) {
    const std::size_t bias = w_.size() - 1;
    float margin = dot(w, z);
    if (context_.options.bias) margin += w[bias];
    const float change = -step_ * weighed_slope(loss_, margin, z);
    if (change != 0.0f) {
      for (auto [j, x] : z) note(j, w_.read_add(j, change * x));
      if (context_.options.bias) note(bias, w_.read_add(bias, change * context_.options.bias_rate));
    }
    if (l2_.l2_rows == 0.0) return change != 0.0f;
    for (auto [j, x] : z) w_.add(j, -step_ * static_cast<float>(l2_.fraction(context_.degree[j])) * w_.load(j));
    return true;
  }

 private:
  margin_loss loss_;
  step_context context_;
  touched_l2 l2_;
  typename Sharing::view_type w_;
  float step_ = 0;
};

/// Margin models under adagrad: l2 joins the gradient of the columns that a row touches (touched_l2), on rows without
/// loss too.
template <class Sharing>
class margin_adagrad_step : public Sharing {
 public:
  margin_adagrad_step(const Sharing& sharing, margin_loss loss, const step_context& context)
      : Sharing(sharing),
        loss_(loss),
        context_(context),
        l2_{context.options.l2 * static_cast<double>(context.rows)},
        optimizer_(optimizer_on<adagrad<typename Sharing::view_type>>(sharing, context.options)),
        bias_(Sharing::parameters().size() - 1) {}

  void begin(const round_plan& round, double) {
    optimizer_ = optimizer_on<adagrad<typename Sharing::view_type>>(*this, context_.options);
    step_ = static_cast<float>(round.step);
  }
  sparse_row<float> example(row_cursor& rows, std::size_t r) const { return labelled_row(rows, r, context_.labels); }

  template <class Reader, class Note>
  bool train(const Reader& w, const sparse_row<float>& z, const Note& note) {
    float margin = dot(w, z);
    if (context_.options.bias) margin += w[bias_];
    const float slope = weighed_slope(loss_, margin, z);
    if (slope == 0.0f && l2_.l2_rows == 0.0) return false;
    for (auto [j, x] : z) {
      const float g = (slope * x + decay(j) * w[j]) * unit_;
      if (g != 0.0f) note(j, optimizer_.step(j, g, step_));
    }
    if (context_.options.bias && slope != 0.0f)
      note(bias_, optimizer_.step(bias_, slope, step_ * bias_step_factor(context_.options)));
    return true;
  }

 private:
  float decay(std::size_t j) const {
    return l2_.l2_rows == 0.0 ? 0.0f : static_cast<float>(l2_.fraction(context_.degree[j]));
  }

  margin_loss loss_;
  step_context context_;
  touched_l2 l2_;
  adagrad<typename Sharing::view_type> optimizer_;
  std::size_t bias_;
  float step_ = 0, unit_ = adagrad_unit(context_.options);
};

}  // namespace hogwild
