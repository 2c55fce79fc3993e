// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/lane_state.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/proximal.hpp>

// Margin models under sgd, several side by side: each is trained as by margin_batch_step, margin_sgd_step or, with l1,
// margin_proximal_step, to the same bits, but each on some of the rows only.

namespace hogwild {

/// The part of steps of lanes by kernels that does not depend on the model, on parameters that nobody else writes
/// meanwhile.
template <class Sharing, class Index, class Value>
class lane_kernel_step : public Sharing {
 public:
  static constexpr std::size_t most_rows = batch_rows;

  lane_kernel_step(const Sharing& sharing, isa set, const lane_table& table, const step_context& context,
                   const sparse_view& data)
      : Sharing(sharing),
        context_(context),
        data_(data),
        kernels_(lane_kernels_of<Index, Value>(set)),
        batch_(batch_on<Index, Value>(data)),
        state_(kernels_, table, context, data) {}

  void begin(const round_plan& round, double position) { state_.begin(round, position); }

 protected:
  /// Trains those of the rows, which have passed ensure(), that any lane is trained on, one after the other. train(r)
  /// finds row r in batch_.
  template <class Train>
  batch_outcome one_by_one(std::span<const std::size_t> drawn, const Train& train) {
    std::array<std::size_t, batch_rows> kept;
    const std::span<const std::size_t> rows = state_.taken(drawn, kept);
    batch_outcome outcome{.updates = rows.size()};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      outcome.nonzeros += take_rows(batch_, data_, rows.subspan(i, 1));
      train(rows[i]);
    }
    return outcome;
  }

  step_context context_;
  sparse_view data_;
  const lane_kernels<Index, Value>& kernels_;
  row_batch<Index, Value> batch_;
  lane_state<lane_kernels<Index, Value>> state_;
};

/// By kernels: a few rows at a time, or with l1 row after row, so that every row sees the changes of the one before,
/// whatever the batch size.
template <class Sharing, class Index, class Value>
class lane_batch_step : public lane_kernel_step<Sharing, Index, Value> {
  using base = lane_kernel_step<Sharing, Index, Value>;
  using base::batch_, base::context_, base::data_, base::kernels_, base::state_;

 public:
  using base::most_rows;

  lane_batch_step(const Sharing& sharing, margin_loss loss, const lane_table& table, const step_context& context,
                  const sparse_view& data)
      : base(sharing, context.options.dense_isa, table, context, data), loss_(loss) {}

  std::size_t rows_to_exchange() const {
    const std::size_t most = context_.options.proximal() ? most_rows : std::size_t{context_.options.batch};
    return std::min(most, Sharing::rows_to_exchange());
  }

  /// At most most_rows rows of the data, which have passed ensure().
  batch_outcome train_batch(std::span<const std::size_t> drawn) {
    if (context_.options.proximal()) return base::one_by_one(drawn, [this](std::size_t r) { make_proximal(r); });
    std::array<std::size_t, batch_rows> kept;
    const std::span<const std::size_t> rows = state_.taken(drawn, kept);
    if (rows.empty()) return {};
    batch_outcome outcome{.nonzeros = take_rows(batch_, data_, rows)};
    const std::size_t lanes = state_.lanes();
    float* const w = Sharing::values().data();
    kernels_.dots(w, lanes, batch_, state_.dots());
    state_.slopes(loss_, rows, biases_in(w), slope_.data(), shrunk_.data());
    alignas(64) std::array<float, most_lanes> moved{};
    for (std::size_t i = 0, at = 0; i < rows.size(); ++i, at += lanes)
      outcome.updates += state_.changes(rows[i], &slope_[at], &shrunk_[at], moved.data(), &change_[at]) ? 1 : 0;
    float* to = w;
    if constexpr (gathers) to = Sharing::gains().data(), note_touched(rows.size(), moved.data(), to);
    kernels_.updates(to, lanes, batch_, change_.data());
    float* const bias = to + data_.columns * lanes;
    for (std::size_t k = 0; context_.options.bias && k < lanes; ++k) bias[k] += moved[k] * context_.options.bias_rate;
    return outcome;
  }

 private:
  /// Whether the changes of rows are gathered beside the parameters.
  static constexpr bool gathers = Sharing::traits.gathers;

  const float* biases_in(const float* w) const {
    return context_.options.bias ? w + data_.columns * state_.lanes() : no_biases.data();
  }

  void make_proximal(std::size_t r) {
    const std::size_t lanes = state_.lanes();
    float* const w = Sharing::values().data();
    kernels_.row_dots(w, lanes, batch_, state_.dots());
    state_.slopes(loss_, std::span(&r, 1), biases_in(w), slope_.data(), shrunk_.data());
    const lane_proximal by = state_.proximal(r, slope_.data());
    kernels_.proximal(w, lanes, batch_, by);
    float* const bias = w + data_.columns * lanes;
    for (std::size_t k = 0; context_.options.bias && k < lanes; ++k) {
      const float before = bias[k], after = before - by.step[k] * (by.slope[k] * context_.options.bias_rate);
      if (after != before) bias[k] += after - before;
    }
  }

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
  alignas(64) std::array<float, batch_rows * most_lanes> slope_, shrunk_, change_;
};

/// A row and its number among the data.
struct numbered_row : sparse_row<float> {
  std::size_t number = 0;
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

  void begin(const round_plan& round, double position) {
    v_ = Sharing::parameters();
    state_.begin(round, position);
  }
  numbered_row example(row_cursor& rows, std::size_t r) const { return {labelled_row(rows, r, context_.labels), r}; }

  template <class Reader, class Note>
  bool train(const Reader& v, const numbered_row& z, const Note& note) {
    if (!state_.takes(z.number)) return false;
    const std::size_t lanes = state_.lanes(), bias = columns_ * lanes;
    alignas(64) std::array<float, most_lanes> slope, of_bias{}, shrunk, moved{}, change;
    dots(v, z, state_.dots());
    if (context_.options.bias)
      for (std::size_t k = 0; k < lanes; ++k) of_bias[k] = v[bias + k];
    state_.slopes(loss_, std::span(&z.number, 1), of_bias.data(), slope.data(), shrunk.data());
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
