// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/task/lane_table.hpp>

// Margin models under sgd, several side by side: each is trained as by margin_batch_step or margin_sgd_step, to the
// same bits, but with rows of which it takes part in some only.

namespace hogwild {

/// What lanes make of rows: labels, weights, and how far the weights have shrunk. Belongs to a worker.
class lane_state {
 public:
  lane_state(const lane_table& table, const step_context& context, const sparse_view& data)
      : table_(table), context_(context), data_(data), lanes_(table.lanes), weighed_(!data.weight.empty()) {
    for (const lane_round& lane : table.of) {
      const lane_rows& rows = lane.rows;
      parts_ = parts_ || !lane.trains || rows.held_out != lane_rows::none || rows.bootstrap != 0;
      classes_ = classes_ || rows.positive != lane_rows::none;
    }
  }

  /// At the beginning of a chunk before which so many rows of the pass were drawn.
  void begin(const round_plan& round, double position) {
    // Rows that are trained again shrink nothing again: all of the pass was drawn once.
    const double rows = round.redo > 0 ? static_cast<double>(context_.epoch_rows) : position;
    for (std::size_t k = 0; k < lanes_; ++k) {
      const lane_round& lane = table_.of[k];
      step_[k] = lane.step;
      shrink_[k] = round.redo > 0 ? 1.0 : lane.l2.between_rows();
      scale_[k] = lane.l2.at(rows * lane.kept);
    }
  }

  /// The labels of row r, one for each lane.
  void label(std::size_t r, float* label) const {
    const float as_it_is = context_.labels.encode(data_.label[r]);
    for (std::size_t k = 0; k < lanes_; ++k) label[k] = as_it_is;
    if (!classes_) return;
    for (std::size_t k = 0; k < lanes_; ++k) {
      const std::uint32_t positive = table_.of[k].rows.positive;
      if (positive != lane_rows::none) label[k] = as_it_is == static_cast<float>(positive) ? 1.0f : -1.0f;
    }
  }

  /// Dots of row r become margins. `bias`: of each lane, or null.
  void margins(std::size_t r, const float* bias, float* dot) const {
    for (std::size_t k = 0; k < lanes_; ++k) {
      const float of_weights = static_cast<float>(scale_[k]) * dot[k];
      dot[k] = of_weights + (bias != nullptr ? bias[k] : 0.0f);
    }
    if (data_.offset.empty()) return;
    for (std::size_t k = 0; k < lanes_; ++k) dot[k] += data_.offset[r];
  }

  /// Weights shrink by row r.
  void shrink(std::size_t r) {
    if (!parts_) {
      for (std::size_t k = 0; k < lanes_; ++k) scale_[k] *= shrink_[k];
      return;
    }
    for (std::size_t k = 0; k < lanes_; ++k)
      if (takes(k, r)) scale_[k] *= shrink_[k];
  }

  /// By how much a row of such slopes moves the biases, and, over the scale as it is after the row, the stored weights;
  /// whether it changes anything.
  bool change(std::size_t r, const float* slope, const double* scale, float* move, float* stored) const {
    if (!parts_ && !weighed_) {
      for (std::size_t k = 0; k < lanes_; ++k) move[k] = -step_[k] * slope[k];
    } else {
      for (std::size_t k = 0; k < lanes_; ++k) {
        float of_row = slope[k];
        if (weighed_) of_row = data_.weight[r] * of_row;
        const std::uint64_t bootstrap = table_.of[k].rows.bootstrap;
        if (bootstrap != 0) of_row *= bootstrap_count(bootstrap, data_.first_row + r);
        move[k] = takes(k, r) ? -step_[k] * of_row : 0.0f;
      }
    }
    bool any = false;
    for (std::size_t k = 0; k < lanes_; ++k) {
      any = any || move[k] != 0.0f;
      stored[k] = move[k] / static_cast<float>(scale[k]);
    }
    return any;
  }

  std::size_t lanes() const { return lanes_; }
  const double* scale() const { return scale_.data(); }

 private:
  bool takes(std::size_t k, std::size_t r) const {
    const lane_round& lane = table_.of[k];
    return lane.trains &&
           (lane.rows.held_out == lane_rows::none || table_.fold[data_.first_row + r] != lane.rows.held_out);
  }

  const lane_table& table_;
  step_context context_;
  sparse_view data_;
  std::size_t lanes_;
  bool weighed_, parts_ = false, classes_ = false;
  std::array<float, most_lanes> step_{};
  std::array<double, most_lanes> shrink_{}, scale_{};
};

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
        kernels_(lane_kernels_of<Index, Value>(context.options.isa)),
        batch_(batch_on<Index, Value>(data)),
        state_(table, context, data) {}

  void begin(const round_plan& round, double position) { state_.begin(round, position); }
  std::size_t rows_to_exchange() const {
    return std::min(std::size_t{context_.options.batch}, Sharing::rows_to_exchange());
  }

  /// At most most_rows rows of the data, which were looked at with ensure().
  batch_outcome train_batch(std::span<const std::size_t> rows) {
    batch_outcome outcome{.nonzeros = take_rows(batch_, data_, rows)};
    const std::size_t lanes = state_.lanes();
    float* const w = Sharing::values().data();
    float* const bias = context_.options.bias != 0 ? w + data_.columns * lanes : nullptr;
    kernels_.dots(w, lanes, batch_, margin_.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      state_.label(rows[i], &label_[i * lanes]);
      state_.margins(rows[i], bias, &margin_[i * lanes]);
      state_.shrink(rows[i]);
      std::copy_n(state_.scale(), lanes, &scale_[i * lanes]);
    }
    loss_.derivatives(rows.size() * lanes, margin_.data(), label_.data(), slope_.data());
    std::array<float, most_lanes> move, moved{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t at = i * lanes;
      outcome.updates += state_.change(rows[i], &slope_[at], &scale_[at], move.data(), &change_[at]) ? 1 : 0;
      for (std::size_t k = 0; k < lanes; ++k) moved[k] += move[k];
    }
    kernels_.updates(w, lanes, batch_, change_.data());
    for (std::size_t k = 0; bias != nullptr && k < lanes; ++k) bias[k] += moved[k];
    return outcome;
  }

 private:
  margin_loss loss_;
  step_context context_;
  sparse_view data_;
  const lane_kernels<Index, Value>& kernels_;
  row_batch<Index, Value> batch_;
  lane_state state_;
  alignas(64) std::array<float, batch_rows * most_lanes> margin_, label_, slope_, change_;
  alignas(64) std::array<double, batch_rows * most_lanes> scale_;
};

/// Row by row, on an array that others write, too.
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
        state_(table, context, data) {}

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
    const std::size_t lanes = state_.lanes(), bias = columns_ * lanes;
    std::array<float, most_lanes> margin{}, of_bias{}, label, slope, move, stored;
    for (std::size_t e = 0; e < z.size(); ++e) {
      const std::size_t j = z.index[e] * lanes;
      for (std::size_t k = 0; k < lanes; ++k) margin[k] += v[j + k] * z.value[e];
    }
    if (context_.options.bias)
      for (std::size_t k = 0; k < lanes; ++k) of_bias[k] = v[bias + k];
    state_.label(z.number, label.data());
    state_.margins(z.number, context_.options.bias ? of_bias.data() : nullptr, margin.data());
    state_.shrink(z.number);
    loss_.derivatives(lanes, margin.data(), label.data(), slope.data());
    if (!state_.change(z.number, slope.data(), state_.scale(), move.data(), stored.data())) return false;
    const auto add = [&](std::size_t j, float delta) {
      if (delta != 0.0f) note(j, v_.read_add(j, delta));
    };
    for (std::size_t e = 0; e < z.size(); ++e)
      for (std::size_t k = 0; k < lanes; ++k) add(z.index[e] * lanes + k, stored[k] * z.value[e]);
    for (std::size_t k = 0; context_.options.bias && k < lanes; ++k) add(bias + k, move[k]);
    return true;
  }

 private:
  margin_loss loss_;
  step_context context_;
  std::size_t columns_;
  typename Sharing::view_type v_;
  lane_state state_;
};

}  // namespace hogwild
