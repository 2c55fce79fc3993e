// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/general_step.hpp>
#include <hogwild/detail/loop/lane_step.hpp>
#include <hogwild/detail/loop/row_lanes.hpp>
#include <hogwild/detail/model/kernel_models.hpp>

// Models that row kernels train, several side by side: each is trained as by row_kernel_step or general_step, to the
// same bits, but each on some of the rows only. Parameter i of model k lies at i * lanes + k.

namespace hogwild {

/// By kernels, row after row, on parameters that nobody else writes meanwhile.
template <row_kernel_model M, class Sharing, class Index, class Value>
class row_lane_batch : public lane_kernel_step<Sharing, Index, Value> {
  using base = lane_kernel_step<Sharing, Index, Value>;
  using base::batch_, base::context_, base::data_, base::state_;

 public:
  row_lane_batch(const Sharing& sharing, const M& model, const lane_table& table, const step_context& context,
                 const sparse_view& data)
      : base(sharing, context.options.isa, table, context, data),
        model_(model),
        rows_(model, data.columns, table.lanes, context.options.isa, bias_step_factor(context.options)),
        l2_(table, context, data.columns),
        slope_(rows_.scores() * table.lanes) {}

  /// At most most_rows rows of the data, which have passed ensure().
  batch_outcome train_batch(std::span<const std::size_t> rows) {
    return base::one_by_one(rows, [this](std::size_t r) { train_row(r); });
  }

 private:
  void train_row(std::size_t r) {
    rows_.score(Sharing::values().data(), batch_, slope_.data());
    with_lanes(state_.lanes(), [&]<std::size_t Models>() {
      model_.template derive<Models>(slope_.data(), context_.labels.encode(data_.label[r]));
    });
    state_.weigh(r, slope_.data(), rows_.scores());
    rows_.change({Sharing::values(), Sharing::state_values()}, batch_, slope_.data(), state_.steps(r), l2_);
  }

  M model_;
  row_lanes<kernel_arrays_of<M>, Index, Value> rows_;
  lane_l2 l2_;
  std::vector<float> slope_;
};

/// The parameters of one lane as if there were no others. `Read` reads elements like the reader of a view.
template <class Read>
class lane_reader {
 public:
  using value_type = float;

  lane_reader(const Read& all, std::size_t lanes, std::size_t lane) : all_(&all), lanes_(lanes), lane_(lane) {}

  float operator[](std::size_t j) const { return (*all_)[j * lanes_ + lane_]; }
  struct run {
    const lane_reader& of;
    std::size_t offset;
    float operator[](std::size_t i) const { return of[offset + i]; }
    void copy_to(std::span<float> out) const {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = (*this)[i];
    }
  };
  run block(std::size_t offset, std::size_t) const { return {*this, offset}; }

 private:
  const Read* all_;
  std::size_t lanes_, lane_;
};

/// The same with adds.
template <class View>
class lane_view {
 public:
  using value_type = float;

  lane_view(const View& all, std::size_t lanes, std::size_t lane) : all_(all), lanes_(lanes), lane_(lane) {}

  std::size_t size() const { return all_.size() / lanes_; }
  float load(std::size_t j) const { return all_.load(j * lanes_ + lane_); }
  float read_add(std::size_t j, float delta) const { return all_.read_add(j * lanes_ + lane_, delta); }
  void add(std::size_t j, float delta) const { read_add(j, delta); }
  void load_block(std::size_t offset, std::span<float> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = load(offset + i);
  }
  void add_block(std::size_t offset, std::span<const float> delta) const { add_scaled_block(offset, delta, 1.0f); }
  void add_scaled_block(std::size_t offset, std::span<const float> run, float factor) const {
    for (std::size_t i = 0; i < run.size(); ++i) read_add(offset + i, factor * run[i]);
  }

 private:
  View all_;
  std::size_t lanes_, lane_;
};

/// One lane of a sharing policy as a policy of its own; the sharing policy outlives it.
template <class Sharing>
struct lane_sharing {
  using scalar_type = float;
  using view_type = lane_view<typename Sharing::view_type>;
  static constexpr sharing_traits traits{.has_state = Sharing::traits.has_state};

  const Sharing* all;
  std::size_t lanes, lane;

  view_type parameters() const { return {all->parameters(), lanes, lane}; }
  view_type state(std::size_t k) const requires(traits.has_state) { return {all->state(k), lanes, lane}; }
};

/// Row by row, one lane after the other like a model alone, on arrays that others write, too, or that gather the
/// changes of rows.
template <class M, template <class> class Optimizer, class Sharing>
class general_lane_step : public Sharing {
 public:
  general_lane_step(const Sharing& sharing, const M& model, const lane_table& table, const step_context& context,
                    const sparse_view& data)
      : Sharing(sharing),
        context_(context),
        table_(table),
        data_(data),
        model_(model),
        options_(table.lanes),
        degree_(table.lanes) {
    for (std::size_t k = 0; k < table.lanes; ++k) {
      options_[k] = context.options;
      options_[k].l2 = table.of[k].touched_l2;
      const step_context of_lane{context.labels, degree_of(k),       table.rows_of(k, context.rows),
                                 options_[k],    context.epoch_rows, context.control};
      steps_.emplace_back(lane_sharing<Sharing>{this, table.lanes, k}, model_, of_lane);
    }
  }
  general_lane_step(const general_lane_step&) = delete;  // refers to itself
  general_lane_step& operator=(const general_lane_step&) = delete;

  void begin(const round_plan& round, double position) {
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      round_plan of_lane = round;
      of_lane.step = of_lane.step_end = table_.of[k].step;
      steps_[k].begin(of_lane, position);
    }
  }
  numbered_row example(row_cursor& rows, std::size_t r) const { return {labelled_row(rows, r, context_.labels), r}; }

  template <class Reader, class Note>
  bool train(const Reader& w, const numbered_row& z, const Note& note) {
    bool changed = false;
    const std::size_t place = data_.first_row + z.number, lanes = steps_.size();
    for (std::size_t k = 0; k < lanes; ++k) {
      const lane_round& lane = table_.of[k];
      if (!lane.trains || (!table_.fold.empty() && lane.rows.held_out == table_.fold[place])) continue;
      sparse_row<float> of_lane = z;
      if (lane.rows.bootstrap != 0) of_lane.weight *= bootstrap_count(lane.rows.bootstrap, table_.first_row + z.number);
      const auto note_of_lane = [&](std::size_t j, float before) { note(j * lanes + k, before); };
      changed = steps_[k].train(lane_reader<Reader>(w, lanes, k), of_lane, note_of_lane) || changed;
    }
    return changed;
  }

 private:
  using step_of_lane = general_step<M, lane_sharing<Sharing>, Optimizer<lane_view<typename Sharing::view_type>>>;

  /// For each column, how many of the rows that lane k is trained on contain it.
  std::span<const std::uint32_t> degree_of(std::size_t k) {
    if (table_.degree_of_fold.empty()) return context_.degree;
    for (std::size_t j = 0; j < context_.degree.size(); ++j)
      degree_[k].push_back(table_.degree_of(k, j, context_.degree[j]));
    return degree_[k];
  }

  step_context context_;
  const lane_table& table_;
  sparse_view data_;
  M model_;
  std::vector<loop_options> options_;
  std::vector<std::vector<std::uint32_t>> degree_;
  std::deque<step_of_lane> steps_;
};

}  // namespace hogwild
