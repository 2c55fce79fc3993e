// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/proximal.hpp>

// Margin models under sgd, several side by side: each is trained as by margin_batch_step, margin_sgd_step or, with l1,
// margin_proximal_step, to the same bits, but each on some of the rows only.

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

  void label(std::size_t r, float* label) const { labels_(r, label); }

  /// Turns the dots of row r into margins, and shrinks weights. `shrunk` receives the scales from then on; `bias` has
  /// one number for each lane.
  void margins(std::size_t r, const float* bias, float* dot, float* shrunk) {
    kernels_.margins(lanes_, scale_.data(), of_row(r).shrink.data(), bias, dot, shrunk);
    for (std::size_t k = 0; !data_.offset.empty() && k < lanes_; ++k) dot[k] += data_.offset[r];
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
  std::vector<fold_steps> of_fold_;
};

/// The biases of models that have none.
inline constexpr std::array<float, most_lanes> no_biases{};

/// Trains these rows, which have passed ensure(), one after the other; train(r) finds row r in `batch`.
template <class Index, class Value, class Train>
batch_outcome one_by_one(row_batch<Index, Value>& batch, const sparse_view& data, std::span<const std::size_t> rows,
                         const Train& train) {
  batch_outcome outcome{.updates = rows.size()};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    outcome.nonzeros += take_rows(batch, data, rows.subspan(i, 1));
    train(rows[i]);
  }
  return outcome;
}

/// A few rows at a time, by kernels, on parameters that nobody else writes meanwhile.
template <class Sharing, class Index, class Value>
class lane_batch_step : public Sharing {
 public:
  static constexpr std::size_t most_rows = batch_rows;

  lane_batch_step(const Sharing& sharing, margin_loss loss, const lane_table& table, const step_context& context,
                  const sparse_view& data)
      : Sharing(sharing),
        loss_(loss),
        context_(context),
        data_(data),
        kernels_(lane_kernels_of<Index, Value>(context.options.dense_isa)),
        batch_(batch_on<Index, Value>(data)),
        state_(kernels_, table, context, data) {}

  void begin(const round_plan& round, double position) { state_.begin(round, position); }
  std::size_t rows_to_exchange() const {
    return std::min(std::size_t{context_.options.batch}, Sharing::rows_to_exchange());
  }

  /// At most most_rows rows of the data, which have passed ensure().
  batch_outcome train_batch(std::span<const std::size_t> drawn) {
    std::array<std::size_t, batch_rows> kept;
    const std::span<const std::size_t> rows = state_.taken(drawn, kept);
    if (rows.empty()) return {};
    batch_outcome outcome{.nonzeros = take_rows(batch_, data_, rows)};
    const std::size_t lanes = state_.lanes();
    float* const w = Sharing::values().data();
    float* const bias = context_.options.bias != 0 ? w + data_.columns * lanes : nullptr;
    kernels_.dots(w, lanes, batch_, margin_.data());
    for (std::size_t i = 0, at = 0; i < rows.size(); ++i, at += lanes) {
      state_.label(rows[i], &label_[at]);
      state_.margins(rows[i], bias != nullptr ? bias : no_biases.data(), &margin_[at], &shrunk_[at]);
    }
    loss_.derivatives(rows.size() * lanes, margin_.data(), label_.data(), slope_.data());
    alignas(64) std::array<float, most_lanes> moved{};
    for (std::size_t i = 0, at = 0; i < rows.size(); ++i, at += lanes) {
      state_.weigh(rows[i], &slope_[at]);
      outcome.updates += state_.changes(rows[i], &slope_[at], &shrunk_[at], moved.data(), &change_[at]) ? 1 : 0;
    }
    float* to = w;
    if constexpr (gathers) to = Sharing::gains().data(), note_touched(rows.size(), moved.data(), to);
    kernels_.updates(to, lanes, batch_, change_.data());
    float* const to_bias = to + data_.columns * lanes;
    for (std::size_t k = 0; bias != nullptr && k < lanes; ++k) to_bias[k] += moved[k] * context_.options.bias_rate;
    return outcome;
  }

 private:
  /// Whether the changes of rows are gathered beside the parameters.
  static constexpr bool gathers = Sharing::traits.gathers;

  /// Called before the updates: notes the parameters whose gains they may make nonzero.
  void note_touched(std::size_t rows, const float* moved, const float* gains) {
    auto* const list = Sharing::touched();
    const std::size_t lanes = state_.lanes();
    const auto note = [&](std::size_t column, const float* change) {
      for (std::size_t j = column * lanes, k = 0; k < lanes; ++k)
        if (gains[j + k] == 0.0f && change[k] != 0.0f) list->note(j + k);
    };
    if (list != nullptr && context_.options.bias != 0) note(data_.columns, moved);
    for (std::size_t i = 0; i < rows && list != nullptr && list->is_complete(); ++i)
      for (const Index j : std::span(batch_.columns_of(i), batch_.end[i] - batch_.begin[i]))
        note(j, &change_[i * lanes]);
  }

  margin_loss loss_;
  step_context context_;
  sparse_view data_;
  const lane_kernels<Index, Value>& kernels_;
  row_batch<Index, Value> batch_;
  lane_state<lane_kernels<Index, Value>> state_;
  alignas(64) std::array<float, batch_rows * most_lanes> margin_, label_, slope_, shrunk_, change_;
};

/// Row by row, on an array that others write, too. If each model has few parameters, a row settles the adds before it,
/// for the reason given at margin_sgd_step.
template <class Sharing>
class lane_row_step : public Sharing {
 public:
  lane_row_step(const Sharing& sharing, margin_loss loss, const lane_table& table, const step_context& context,
                const sparse_view& data)
      : Sharing(sharing),
        loss_(loss),
        context_(context),
        columns_(data.columns),
        v_(Sharing::parameters()),
        state_(lane_kernels_of<std::uint32_t, float>(context.options.dense_isa), table, context, data),
        crowded_(state_.shrinks() && columns_ + context.options.bias <= crowded_parameters) {}

  struct numbered_row : sparse_row<float> {
    std::size_t number = 0;
  };

  void begin(const round_plan& round, double position) {
    v_ = Sharing::parameters();
    state_.begin(round, position);
  }
  numbered_row example(row_cursor& rows, std::size_t r) const { return {labelled_row(rows, r, context_.labels), r}; }

  template <class Reader, class Note>
  bool train(const Reader& v, const numbered_row& z, const Note& note) {
    if (!state_.takes(z.number)) return false;
    const std::size_t lanes = state_.lanes(), bias = columns_ * lanes;
    alignas(64) std::array<float, most_lanes> margin, of_bias{}, label, slope, shrunk, moved{}, change;
    dots(v, z, margin.data());
    if (context_.options.bias)
      for (std::size_t k = 0; k < lanes; ++k) of_bias[k] = v[bias + k];
    state_.label(z.number, label.data());
    state_.margins(z.number, of_bias.data(), margin.data(), shrunk.data());
    loss_.derivatives(lanes, margin.data(), label.data(), slope.data());
    state_.weigh(z.number, slope.data());
    if (context_.options.proximal()) return make_proximal(z, state_.proximal(z.number, slope.data()), note);
    if (!state_.changes(z.number, slope.data(), shrunk.data(), moved.data(), change.data())) return false;
    if (crowded_) v_.settle_adds();
    const auto add = [&](std::size_t j, float delta) {
      if (delta != 0.0f) note(j, v_.read_add(j, delta));
    };
    for (std::size_t e = 0; e < z.size(); ++e)
      for (std::size_t k = 0; k < lanes; ++k) add(z.index[e] * lanes + k, change[k] * z.value[e]);
    for (std::size_t k = 0; context_.options.bias && k < lanes; ++k)
      add(bias + k, moved[k] * context_.options.bias_rate);
    return true;
  }

 private:
  /// Adds up each sum in the order of dot().
  template <class Reader>
  void dots(const Reader& v, const sparse_row<float>& z, float* dot) const {
    const std::size_t lanes = state_.lanes(), whole = z.size() / 4 * 4;
    std::array<std::array<float, most_lanes>, 4> sum{};
    for (std::size_t e = 0; e < z.size(); ++e) {
      std::array<float, most_lanes>& of = sum[e < whole ? e % 4 : 0];
      for (std::size_t k = 0; k < lanes; ++k) of[k] += v[z.index[e] * lanes + k] * z.value[e];
    }
    for (std::size_t k = 0; k < lanes; ++k) dot[k] = (sum[0][k] + sum[1][k]) + (sum[2][k] + sum[3][k]);
  }

  template <class Note>
  bool make_proximal(const sparse_row<float>& z, const lane_proximal& by, const Note& note) {
    const std::size_t lanes = state_.lanes();
    const auto move = [&](std::size_t j, std::size_t k, float x, float part) {
      const float before = v_.load(j), l2 = by.step_l2 != nullptr ? by.step_l2[k] : 0.0f;
      const float after = soft_threshold(before - by.step[k] * (by.slope[k] * x), by.step_l1[k] * part);
      const float moved = after / (1.0f + l2 * part);
      if (moved != before) note(j, v_.read_add(j, moved - before));
    };
    for (auto [j, x] : z)
      for (std::size_t at = j * lanes, k = 0; k < lanes; ++k) move(at + k, k, x, by.part[by.part_of_each ? at + k : j]);
    for (std::size_t k = 0; context_.options.bias && k < lanes; ++k)
      move(columns_ * lanes + k, k, context_.options.bias_rate, 0.0f);
    return true;
  }

  margin_loss loss_;
  step_context context_;
  std::size_t columns_;
  typename Sharing::view_type v_;
  lane_state<lane_kernels<std::uint32_t, float>> state_;
  bool crowded_;
};

}  // namespace hogwild
