// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/detail/loop/step.hpp>

namespace hogwild {

/// The labels that rows have in each lane.
class lane_labels {
 public:
  lane_labels(const lane_table& table, const label_map& labels, const sparse_view& data)
      : table_(table), labels_(labels), data_(data) {
    for (const lane_round& lane : table.of) by_class_ = by_class_ || lane.rows.positive != lane_rows::none;
  }

  /// The labels of row r.
  void operator()(std::size_t r, float* label) const {
    const float as_it_is = labels_.encode(data_.label[r]);
    for (std::size_t k = 0; k < table_.lanes; k += least_lanes)
      for (std::size_t l = 0; l < least_lanes; ++l) label[k + l] = as_it_is;
    for (std::size_t k = 0; by_class_ && k < table_.lanes; ++k) {
      const std::uint32_t positive = table_.of[k].rows.positive;
      if (positive != lane_rows::none) label[k] = as_it_is == static_cast<float>(positive) ? 1.0f : -1.0f;
    }
  }

 private:
  const lane_table& table_;
  const label_map& labels_;
  const sparse_view& data_;
  bool by_class_ = false;
};

/// Per-lane state of training: labels, weights, and how far the weights have shrunk. Belongs to a worker.
template <class Kernels>
class lane_state {
 public:
  lane_state(const Kernels& kernels, const lane_table& table, const step_context& context, const sparse_view& data)
      : kernels_(kernels),
        table_(table),
        context_(context),
        data_(data),
        labels_(table, context.labels, data_),
        lanes_(table.lanes) {
    std::size_t folds = 1;
    for (const std::uint8_t fold : table.fold) folds = std::max<std::size_t>(folds, fold + std::size_t{1});
    of_fold_.resize(folds);
    for (const lane_round& lane : table.of) {
      resampled_ = resampled_ || lane.rows.bootstrap != 0;
      shrinks_ = shrinks_ || lane.l2.shrink != 1.0;
      has_touched_l2_ = has_touched_l2_ || lane.touched_l2 != 0.0;
    }
  }
  lane_state(const lane_state&) = delete;  // refers to itself
  lane_state& operator=(const lane_state&) = delete;

  /// Called at the beginning of a chunk before which `position` rows of the pass were drawn.
  void begin(const round_plan& round, double position) {
    // Rows that are trained again shrink nothing again: all rows up to the round's position were drawn once.
    const double rows = round.redo > 0 ? round.l2.position : position;
    for (std::size_t k = 0; k < lanes_; ++k) scale_[k] = table_.of[k].l2.at(rows * table_.of[k].kept);
    for (std::size_t f = 0; f < of_fold_.size(); ++f) {
      of_fold_[f].any = false;
      for (std::size_t k = 0; k < lanes_; ++k) {
        const lane_round& lane = table_.of[k];
        const bool takes = lane.trains && (table_.fold.empty() || lane.rows.held_out != f);
        of_fold_[f].any = of_fold_[f].any || takes;
        of_fold_[f].step[k] = takes ? static_cast<float>(lane.step) : 0.0f;
        of_fold_[f].shrink[k] = takes && round.redo == 0 ? lane.l2.between_rows() : 1.0;
        of_fold_[f].step_l1[k] = of_fold_[f].step[k] * lane.l1;
        of_fold_[f].step_l2[k] = of_fold_[f].step[k] * static_cast<float>(lane.touched_l2);
      }
    }
  }

  /// Whether any lane is trained on row r.
  bool takes(std::size_t r) const { return of_row(r).any; }
  /// The rows, among at most batch_rows, that any lane is trained on; `kept` is room for them.
  std::span<const std::size_t> taken(std::span<const std::size_t> rows,
                                     std::array<std::size_t, batch_rows>& kept) const {
    if (table_.fold.empty()) return rows;
    const auto end = std::ranges::copy_if(rows, kept.begin(), [this](std::size_t r) { return takes(r); }).out;
    return {kept.begin(), end};
  }

  /// Where the dots of at most batch_rows rows are put before slopes(), one for each lane. They are not overwritten by
  /// the slopes: loops over rows are vectors only if their arrays are apart.
  float* dots() { return dot_.data(); }
  /// Computes the weighed slopes of rows from their dots, and shrinks weights. `shrunk` receives the scales after each
  /// row; `bias` has one number for each lane.
  void slopes(const margin_loss& loss, std::span<const std::size_t> rows, const float* bias, float* slope,
              float* shrunk) {
    for (std::size_t i = 0, at = 0; i < rows.size(); ++i, at += lanes_) {
      labels_(rows[i], &label_[at]);
      kernels_.margins(lanes_, scale_.data(), of_row(rows[i]).shrink.data(), bias, &dot_[at], shrunk + at);
      for (std::size_t k = 0; !data_.offset.empty() && k < lanes_; ++k) dot_[at + k] += data_.offset[rows[i]];
    }
    loss.derivatives(rows.size() * lanes_, dot_.data(), label_.data(), slope);
    for (std::size_t i = 0; i < rows.size(); ++i) weigh(rows[i], slope + i * lanes_);
  }

  /// Multiplies the slopes of row r, `scores` of them for each lane, by the row's weight.
  void weigh(std::size_t r, float* slope, std::size_t scores = 1) const {
    for (std::size_t i = 0; !data_.weight.empty() && i < scores * lanes_; ++i) slope[i] *= data_.weight[r];
    for (std::size_t k = 0; resampled_ && k < lanes_; ++k) {
      const std::uint64_t bootstrap = table_.of[k].rows.bootstrap;
      if (bootstrap == 0) continue;
      const float count = bootstrap_count(bootstrap, table_.first_row + r);
      for (std::size_t i = k; i < scores * lanes_; i += lanes_) slope[i] *= count;
    }
  }

  /// Each lane's step for row r: 0 if it is held out of the lane, or the lane is idle.
  const float* steps(std::size_t r) const { return of_row(r).step.data(); }

  /// Computes the changes of the stored weights from the weighed slopes of row r, and adds those of biases to `moved`.
  /// Returns whether there are any.
  bool changes(std::size_t r, const float* slope, const float* shrunk, float* moved, float* change) const {
    return kernels_.changes(lanes_, of_row(r).step.data(), slope, shrunk, moved, change);
  }

  /// The proximal step for row r, by weighed slopes.
  lane_proximal proximal(std::size_t r, const float* slope) const {
    const fold_steps& of = of_row(r);
    return {.slope = slope,
            .step = of.step.data(),
            .step_l1 = of.step_l1.data(),
            .step_l2 = has_touched_l2_ ? of.step_l2.data() : nullptr,
            .part = table_.part.data(),
            .part_of_each = !table_.fold.empty()};
  }

  std::size_t lanes() const { return lanes_; }
  /// Whether weights shrink without writes.
  bool shrinks() const { return shrinks_; }

 private:
  /// Each lane's constants for the rows of a fold: zero if the lane holds the fold out.
  struct fold_steps {
    bool any = false;  ///< whether any lane trains on them
    alignas(64) std::array<float, most_lanes> step{}, step_l1{}, step_l2{};
    alignas(64) std::array<double, most_lanes> shrink{};
  };
  const fold_steps& of_row(std::size_t r) const {
    return of_fold_[table_.fold.empty() ? 0 : table_.fold[data_.first_row + r]];
  }

  const Kernels& kernels_;
  const lane_table& table_;
  step_context context_;
  sparse_view data_;
  lane_labels labels_;
  std::size_t lanes_;
  bool resampled_ = false, shrinks_ = false, has_touched_l2_ = false;
  alignas(64) std::array<double, most_lanes> scale_{};
  alignas(64) std::array<float, batch_rows * most_lanes> dot_, label_;  ///< of the rows of slopes()
  std::vector<fold_steps> of_fold_;
};

/// The biases of models that have none.
inline constexpr std::array<float, most_lanes> no_biases{};

}  // namespace hogwild
