// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/lane_run.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/math/proximal.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/task/lane_task.hpp>
#include <hogwild/detail/task/vector_passes.hpp>

#include "run/memory_need.hpp"
#include "task/require.hpp"

namespace hogwild {

using detail::require;

namespace {

/// Multiplies by the factors, repeated. They are passed by value, so that the compiler knows that no store changes
/// them.
void multiply(std::span<float> v, std::array<float, most_lanes> factor) {
  std::size_t j = 0;
  for (; j + most_lanes <= v.size(); j += most_lanes)
    for (std::size_t i = 0; i < most_lanes; ++i) v[j + i] *= factor[i];
  for (std::size_t i = 0; j + i < v.size(); ++i) v[j + i] *= factor[i];
}

/// One lane's part of an array of all lanes.
std::vector<float> taken(std::span<const float> all, std::size_t lanes, std::size_t k) {
  std::vector<float> mine(all.size() / lanes);
  for (std::size_t j = 0; j < mine.size(); ++j) mine[j] = all[j * lanes + k];
  return mine;
}

/// Stores a lane's part; zeros if it is empty.
void put(std::span<float> all, std::size_t lanes, std::size_t k, std::span<const float> mine) {
  for (std::size_t j = 0; j * lanes < all.size(); ++j) all[j * lanes + k] = mine.empty() ? 0.0f : mine[j];
}

}  // namespace

lane_run::lane_run(std::shared_ptr<const training_task> alone, const train_options& options, std::size_t lanes,
                   double largest_step, std::shared_ptr<any_engine> engine, const training_task* tried,
                   const note_function& note)
    : table_(lane_table_for(*alone, lanes)), task_(alone, table_), engine_(std::move(engine)) {
  require(agreement(engine_->ranks()).alone() && task_.options().all_rows == 0,
          "models side by side are trained in one process");
  resolved_run run{.options = options, .step_found = tried != nullptr};
  run.options.step.initial = largest_step;
  run.schedule = {schedule_kind::constant, largest_step, 0.0, 1, 0};
  run_planner planner(task_, run, tried != nullptr ? *tried : *alone), planner_of_one(*alone, run);
  planner_of_one.limit_batch();
  planner.loop().batch = planner_of_one.loop().batch;
  const std::size_t workers = engine_->plan(planner);
  plan_ = task_.plan(planner.loop());
  detail::require_granted_memory(task_, plan_, workers);
  scaling_ = planner.scaling();
  start(note);
}

lane_run::lane_run(std::shared_ptr<const training_task> alone, const loop_options& decided, std::size_t lanes,
                   std::shared_ptr<any_engine> engine, const note_function& note)
    : table_(lane_table_for(*alone, lanes)),
      task_(std::move(alone), table_),
      plan_(task_.plan(decided)),
      engine_(std::move(engine)) {
  start(note);
}

void lane_run::start(const note_function& note) {
  require(plan_.options.device_count == 0,
          "models side by side are trained by CPUs, not by a device: choose another engine");
  require(plan_.options.sharing != access_kind::gathered || plan_.options.optimizer == optimizer_kind::sgd,
          "models with sums of squares (adagrad) cannot be trained side by side by all_reduce: choose another engine");
  workers_ = engine_->start_workers(task_, plan_, note);
  table_->lie_in(workers_->store().table());
  std::ranges::fill(table_->of, lane_round{});
  workers_->get_ready();
  rounds_ = std::make_unique<round_driver>(task_, plan_, *workers_);
}

bool lane_run::suits(const prepared_task& alone) {
  const train_options& o = alone.data.options();
  const bool lanes_add = o.update == update_kind::lossy || o.update == update_kind::exact;
  return lane_task::suits(*alone.task) && lanes_add && !o.average && !o.initial &&
         schedule_of(o, alone.data.defaults()) != schedule_kind::plateau &&
         schedule_of(o, alone.data.defaults()) != schedule_kind::linear;
}

// On text with 47,603 columns 32 lanes, three times a cache of 2 MiB, took a tenth less time than 16; with 600,000
// columns a sixth more.
std::size_t lane_run::lanes_for(const training_task& alone, std::size_t models) {
  const bool margins = alone.margin() != nullptr;
  const std::size_t kept = lane_task::weights_of(alone) * (1 + state_arrays_of(alone.options().optimizer));
  const std::size_t bytes = std::max<std::size_t>(kept * sizeof(float), 1);
  const std::size_t fitting = (margins ? 4 : 1) * level2_cache_bytes() / bytes, least = margins ? 16 : 8;
  std::size_t lanes = 8;
  while (lanes < most_lanes && lanes < models && 2 * lanes <= std::max(fitting, least)) lanes *= 2;
  return lanes;
}

void lane_run::deal(std::vector<std::uint8_t> fold) {
  require(workers_->store().name().empty(), "models of cross-validation folds are trained in one process: use threads");
  table_->fold = std::move(fold);
  if (task_.shrinks()) return;
  const sparse_view& rows = task_.data();
  if (proximal()) table_->part.resize(rows.columns * table_->lanes);
  table_->degree_of_fold.assign(*std::ranges::max_element(table_->fold) + std::size_t{1},
                                std::vector<std::uint32_t>(rows.columns));
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    rows.ensure(r, r + 1);
    for (const std::uint32_t j : cursor.row(r).index) ++table_->degree_of_fold[table_->fold[rows.first_row + r]][j];
  }
}

/// Sets the part of lane k's l1 that entries of each column apply, from the rows that the lane is trained on.
void lane_run::set_parts(std::size_t k) {
  if (!proximal() || table_->degree_of_fold.empty()) return;
  const sparse_view& data = task_.data();
  const std::size_t n = rows_of(k);
  for (std::size_t j = 0; j < data.columns; ++j)
    table_->part[j * table_->lanes + k] = part_of_l1(n, table_->degree_of(k, j, data.degree[j]));
}

void lane_run::place(std::size_t k, const lane_settings& settings, std::span<const float> w) {
  const std::size_t lanes = table_->lanes;
  const std::span<float> stored = workers_->store().parameters<float>();
  require(w.empty() || w.size() * lanes == stored.size(),
          "the parameters given for models side by side have another size than their model");
  require((settings.l1 > 0.0) == proximal(), "of models side by side, either all have an l1 or none has");
  const bool counts_columns = !task_.shrinks() && task_.options().form == l2_form::by_degree;
  require(settings.l2 == 0.0 || !counts_columns || !task_.data().degree.empty() || task_.data().columns == 0,
          "models side by side need the number of rows of each column for their l2, and it was not counted: give an l2 "
          "to the model that they are made from");
  settings_[k] = settings;
  double kept = 1.0;
  if (settings.rows.held_out != lane_rows::none) {
    const auto held = static_cast<double>(std::ranges::count(table_->fold, settings.rows.held_out));
    kept = 1.0 - held / static_cast<double>(table_->fold.size());
  }
  table_->of[k] = {.trains = true, .kept = kept, .rows = settings.rows};
  set_parts(k);
  w.empty() ? put(stored, lanes, k, beginning()) : put(stored, lanes, k, w);
  put(state(), lanes, k, {});
  if (w.empty()) minimise_constants(std::bitset<most_lanes>().set(k), {});
}

/// Called as for a model alone: before training and where it is measured.
void lane_run::minimise_constants(const std::bitset<most_lanes>& which, const std::stop_token& stop) {
  minimise_lane_constants(task_.alone(), *table_, workers_->store(), scales(), which, workers_->helpers(), stop);
}

std::vector<float> lane_run::beginning() const {
  std::vector<float> w(workers_->store().parameters<float>().size() / table_->lanes);
  task_.fill(w);
  return w;
}

void lane_run::clear(std::size_t k) {
  table_->of[k] = {};
  put(workers_->store().parameters<float>(), table_->lanes, k, {});
  put(state(), table_->lanes, k, {});
}

void lane_run::place(std::size_t k, const lane_settings& settings, const lane_kept& from) {
  place(k, settings, from.stored);
  table_->of[k].l2.scale = from.scale;
  put(state(), table_->lanes, k, from.state);
}

lane_kept lane_run::kept(std::size_t k) const {
  return {.stored = taken(workers_->store().parameters<float>(), table_->lanes, k),
          .scale = table_->of[k].l2.scale,
          .state = taken(state(), table_->lanes, k)};
}

lane_run::all_kept lane_run::kept() const {
  const std::span<const float> stored = workers_->store().parameters<float>(), sums = state();
  return {{stored.begin(), stored.end()}, {sums.begin(), sums.end()}, {table_->of.begin(), table_->of.end()}};
}

std::span<float> lane_run::state() const {
  if (plan_.options.optimizer == optimizer_kind::sgd) return {};
  return workers_->store().state<float>(0);
}

void lane_run::go_back(const all_kept& to) {
  std::ranges::copy(to.stored, workers_->store().parameters<float>().begin());
  std::ranges::copy(to.state, state().begin());
  std::ranges::copy(to.of, table_->of.begin());
}

/// Applies the part of the lane's l1 that is left to the gate, as margin_task::settle().
void lane_run::settle(std::size_t k, double kept_step) {
  const auto rows = static_cast<double>(rows_of(k));
  const auto t = static_cast<float>(l1_at_the_gate * kept_step * settings_[k].l1 * rows);
  const std::span<float> stored = workers_->store().parameters<float>();
  for (std::size_t j = 0; j < task_.data().columns; ++j) {
    float& w = stored[j * table_->lanes + k];
    w = soft_threshold(w, t);
  }
}

/// Multiplies the scales of these lanes into their stored weights, in one pass over the weights of all.
void lane_run::fold(const std::bitset<most_lanes>& which) {
  if (which.none()) return;
  const std::size_t lanes = table_->lanes;
  std::array<float, most_lanes> factor{};  // for consecutive parameters; 1 changes no bit
  for (std::size_t i = 0; i < most_lanes; ++i)
    factor[i] = which[i % lanes] ? static_cast<float>(table_->of[i % lanes].l2.scale) : 1.0f;
  const std::span<float> stored = workers_->store().parameters<float>().first(task_.weights() * lanes);
  for_each_block(stored.size(), workers_->helpers(), [&](std::size_t first, std::size_t last, std::size_t) {
    multiply(stored.subspan(first, last - first), factor);
  });
  for (std::size_t k = 0; k < lanes; ++k)
    if (which[k]) table_->of[k].l2.scale = 1.0;
}

void lane_run::train(std::size_t pass, std::span<const double> steps, const std::stop_token& stop,
                     std::bitset<most_lanes> measured) {
  const auto rows = static_cast<double>(task_.data().rows());
  std::array<std::size_t, most_lanes> parts{};
  std::size_t most_parts = 1;
  double largest_step = 0.0;
  const double gain_weight = rounds_->kept_gain_weight();
  std::bitset<most_lanes> shrunk;
  for (std::size_t k = 0; k < table_->lanes; ++k) {
    lane_round& lane = table_->of[k];
    if (!lane.trains) continue;
    const double step_l2 = steps[k] * settings_[k].l2;
    require(step_l2 >= 0.0, "a step and its l2 must be at least 0");
    largest_step = std::max(largest_step, steps[k]);
    lane.step = steps[k];
    parts[k] = 1;
    if (!task_.shrinks()) {
      lane.l1 = static_cast<float>((1.0 - l1_at_the_gate) * settings_[k].l1);
      lane.touched_l2 = settings_[k].l2;
      continue;
    }
    detail::require_below_one(step_l2);
    lane.l2.position = 0.0;
    lane.l2.shrink = 1.0 - gain_weight * step_l2;
    const double of_lane = rows * lane.kept;
    shrunk[k] = lane.l2.scale * std::pow(lane.l2.shrink, of_lane) < scaled_l2::smallest_scale;
    parts[k] = std::bit_ceil(scaled_l2::parts(lane.l2.shrink, of_lane));
    most_parts = std::max(most_parts, parts[k]);
  }
  fold(shrunk);
  // Lanes that shrink far are folded at gates, each at a number of gates that is a power of two, so that the result
  // does not depend on the other lanes. The others go through the pass as they do alone.
  rounds_->cut_epochs(static_cast<std::uint32_t>(most_parts), [&](std::uint32_t gate, double, double done) {
    std::bitset<most_lanes> due;
    for (std::size_t k = 0; k < table_->lanes; ++k) {
      lane_round& lane = table_->of[k];
      due[k] = lane.trains && parts[k] > 1 && gate % (most_parts / parts[k]) == 0;
      if (due[k]) lane.l2.scale = lane.l2.at(done * lane.kept);
    }
    if (due.any()) workers_->settle();
    fold(due);
    for (std::size_t k = 0; k < table_->lanes; ++k)
      if (due[k]) table_->of[k].l2.position = done * table_->of[k].kept;
    return true;
  });
  {
    const stop_relay relay(stop, workers_->store());
    rounds_->train_epoch(pass, largest_step);
  }
  workers_->settle();  // a worker that is stopped in the middle of a row would finish it in the next model
  std::bitset<most_lanes> trained;
  for (std::size_t k = 0; k < table_->lanes; ++k) {
    lane_round& lane = table_->of[k];
    if (!lane.trains) continue;
    if (proximal())
      settle(k, gain_weight * steps[k]);
    else if (task_.shrinks() && parts[k] == 1)
      lane.l2.scale = lane.l2.at(rows * lane.kept);
    trained.set(k);
  }
  minimise_constants(trained & measured, stop);
}

std::vector<double> lane_run::scales() const {
  std::vector<double> scales;
  for (const lane_round& lane : table_->of) scales.push_back(lane.l2.scale);
  return scales;
}

std::vector<float> lane_run::parameters(std::size_t k) const {
  lane_kept lane = kept(k);
  const auto a = static_cast<float>(lane.scale);
  for (float& w : std::span(lane.stored).first(task_.weights())) w *= a;
  return std::move(lane.stored);
}

std::vector<measurement> lane_run::measure(const sparse_view& rows, lane_task::rows_of_lane which, bool all_measures,
                                           measure_function scored) const {
  return task_.measure(workers_->store(), scales(), rows, which, all_measures, workers_->helpers(), scored);
}

std::vector<double> lane_run::penalties() const {
  const std::size_t lanes = table_->lanes;
  const std::span<const float> stored = workers_->store().parameters<float>();
  const bool by_occurrence = !task_.shrinks() && task_.options().form == l2_form::per_occurrence;
  std::vector<std::uint32_t> counted;
  if (by_occurrence && task_.data().degree.empty()) {
    task_.data().ensure(0, task_.data().rows());
    counted = count_columns(task_.data());
  }
  const std::span<const std::uint32_t> degree = counted.empty() ? task_.data().degree : std::span(counted);
  std::vector<double> squares(lanes), sizes(lanes), times(lanes, 1.0);
  for (const parameter_group& g : task_.facts().groups) {
    for (std::size_t row = 0; g.hot_first && row < g.rows; ++row) {
      // As in penalty_of(), each column counts by the fraction of the lane's rows that have it.
      for (std::size_t k = 0; by_occurrence && k < lanes; ++k)
        times[k] = table_->degree_of(k, g.first_column + row, degree[g.first_column + row]) /
                   static_cast<double>(std::max<std::size_t>(rows_of(k), 1));
      const std::span<const float> of_row = stored.subspan(g.offset + row * g.width, g.width);
      for (std::size_t first = 0; first < of_row.size(); first += lanes) {
        for (std::size_t k = 0; k < lanes; ++k) {
          const auto v = static_cast<double>(of_row[first + k]);
          squares[k] += times[k] * v * v;
          sizes[k] += std::abs(v);
        }
      }
    }
  }
  std::vector<double> penalties(lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    const double a = table_->of[k].l2.scale;
    penalties[k] = settings_[k].l1 * a * sizes[k] + 0.5 * settings_[k].l2 * a * a * squares[k];
  }
  return penalties;
}

}  // namespace hogwild
