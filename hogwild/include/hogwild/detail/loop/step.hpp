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

  /// The step size after `position` rows of the epoch.
  double step_at(const round_plan& round, double position) const {
    return round.step_at(position / static_cast<double>(std::max<std::size_t>(epoch_rows, 1)));
  }
  touched_l2 l2_of_entries() const { return {options.l2 * static_cast<double>(rows)}; }
};

/// The fraction of l2 that an entry of each column applies, by degree (touched_l2); arbitrary for a column without
/// entries.
inline std::vector<float> fractions_of_l2(const step_context& context, std::size_t columns) {
  const touched_l2 l2 = context.l2_of_entries();
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

/// The part of steps that train margin models row by row which does not depend on the optimiser. The last parameter is
/// the bias if there is one, which is not regularised.
template <class Sharing>
class margin_row_step : public Sharing {
 public:
  margin_row_step(const Sharing& sharing, margin_loss loss, const step_context& context)
      : Sharing(sharing),
        loss_(loss),
        context_(context),
        w_(Sharing::parameters()),
        columns_(w_.size() - (context.options.bias != 0 ? 1 : 0)) {}

  void begin(const round_plan& round, double) {
    w_ = Sharing::parameters();
    step_ = static_cast<float>(round.step);
  }
  sparse_row<float> example(row_cursor& rows, std::size_t r) const { return labelled_row(rows, r, context_.labels); }

 protected:
  /// The row's weight times the derivative of its loss with respect to its margin. Weights are `scale` times the stored
  /// ones.
  template <class Reader>
  float slope_of(const Reader& w, const sparse_row<float>& z, float scale = 1.0f) const {
    float margin = scale * dot(w, z);
    if (context_.options.bias) margin += w[columns_];
    return z.weight * loss_.derivative(margin + z.offset, z.label);
  }

  /// Adds the row, multiplied by `change`, to the stored weights, and the bias's part of `move` to the bias.
  template <class Note>
  void add(const sparse_row<float>& z, float change, float move, const Note& note) {
    for (auto [j, x] : z) note(j, w_.read_add(j, change * x));
    if (context_.options.bias) note(columns_, w_.read_add(columns_, move * context_.options.bias_rate));
  }

  margin_loss loss_;
  step_context context_;
  typename Sharing::view_type w_;
  std::size_t columns_;  ///< the bias follows them
  float step_ = 0;
};

/// Models of at most this many parameters lie on so few cache lines that workers always share them.
inline constexpr std::size_t crowded_parameters = 1024;

/// Margin models under sgd. The weights are w = a * v (scaled_l2), of which v is stored.
///
/// No shrink of a is ever lost, but lossy adds to v may be. If a fraction q of them is lost, l2 is 1 / (1 - q) times
/// too strong: on kddcup99 (119 columns) two to four workers ended with an objective 1.0 to 1.4 % above serial. So in
/// small models each row settles the adds before it, which leaves 0.3 to 0.6 %.
template <class Sharing>
class margin_sgd_step : public margin_row_step<Sharing> {
  using base = margin_row_step<Sharing>;
  using base::context_, base::step_, base::w_;

 public:
  using base::base;

  void begin(const round_plan& round, double position) {
    base::begin(round, position);
    shrink_ = round.l2.between_rows();
    scale_ = round.l2.at(position);
  }

  template <class Reader, class Note>
  bool train(const Reader& v, const sparse_row<float>& z, const Note& note) {
    const float slope = base::slope_of(v, z, static_cast<float>(scale_));
    scale_ *= shrink_;
    if (slope == 0.0f) return false;
    const float move = -step_ * slope;
    if (crowded_) w_.settle_adds();
    base::add(z, move / static_cast<float>(scale_), move, note);
    return true;
  }

 private:
  bool crowded_ = context_.options.l2 > 0.0 && w_.size() <= crowded_parameters;
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
class margin_two_pass_step : public margin_row_step<Sharing> {
  using base = margin_row_step<Sharing>;
  using base::context_, base::step_, base::w_;

 public:
  using base::base;

  template <class Reader, class Note>
  bool train(const Reader& w, const sparse_row<float>& z, const Note& note) {
    const float change = -step_ * base::slope_of(w, z);
    if (change != 0.0f) base::add(z, change, change, note);
    if (l2_.l2_rows == 0.0) return change != 0.0f;
    for (auto [j, x] : z) w_.add(j, -step_ * static_cast<float>(l2_.fraction(context_.degree[j])) * w_.load(j));
    return true;
  }

 private:
  touched_l2 l2_ = context_.l2_of_entries();
};

/// Margin models under adagrad: l2 joins the gradient of the columns that a row touches (touched_l2), on rows without
/// loss too.
template <class Sharing>
class margin_adagrad_step : public margin_row_step<Sharing> {
  using base = margin_row_step<Sharing>;
  using base::context_, base::columns_, base::step_;

 public:
  using base::base;

  void begin(const round_plan& round, double position) {
    base::begin(round, position);
    optimizer_ = optimizer_on<optimizer>(*this, context_.options);
  }

  template <class Reader, class Note>
  bool train(const Reader& w, const sparse_row<float>& z, const Note& note) {
    const float slope = base::slope_of(w, z);
    if (slope == 0.0f && l2_.l2_rows == 0.0) return false;
    for (auto [j, x] : z) {
      const float g = (slope * x + decay(j) * w[j]) * unit_;
      if (g != 0.0f) note(j, optimizer_.step(j, g, step_));
    }
    if (context_.options.bias && slope != 0.0f)
      note(columns_, optimizer_.step(columns_, slope, step_ * bias_step_factor(context_.options)));
    return true;
  }

 private:
  using optimizer = adagrad<typename Sharing::view_type>;

  float decay(std::size_t j) const {
    return l2_.l2_rows == 0.0 ? 0.0f : static_cast<float>(l2_.fraction(context_.degree[j]));
  }

  touched_l2 l2_ = context_.l2_of_entries();
  optimizer optimizer_ = optimizer_on<optimizer>(*this, context_.options);
  float unit_ = adagrad_unit(context_.options);
};

}  // namespace hogwild
