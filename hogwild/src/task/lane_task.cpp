// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/lane_task.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/proximal.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/lane_loops.hpp>
#include <hogwild/detail/task/vector_passes.hpp>
#include <hogwild/error.hpp>

#include "task/require.hpp"

namespace hogwild {

namespace {

const training_task& suited(const training_task& alone) {
  detail::require(lane_task::suits(alone),
                  "only linear models under sgd, and models with factors of columns under sgd or adagrad, are trained "
                  "side by side; with nothing frozen, no lists of labels and no l2 in two passes, and with l1 only if "
                  "they have one weight a column");
  return alone;
}

task_facts facts_of_lanes(const training_task& alone, std::size_t lanes) {
  task_facts facts = alone.facts();
  facts.parameters *= lanes;
  for (parameter_group& g : facts.groups) g.offset *= lanes, g.width *= lanes;
  facts.margin = facts.scaled = facts.row_kernels = false;
  facts.halves = 0;
  facts.lanes = static_cast<std::uint32_t>(lanes);
  return facts;
}

}  // namespace

bool lane_task::suits(const training_task& alone) {
  const loop_options& o = alone.options();
  return alone.lanes() != nullptr && alone.lanes()->takes(o.optimizer) && o.form != l2_form::two_pass &&
         o.frozen_groups == 0 && !alone.data().label.lists();
}

lane_task::lane_task(std::shared_ptr<const training_task> alone, std::shared_ptr<const lane_table> table)
    : training_task(facts_of_lanes(suited(*alone), table->lanes), alone->data(), alone->labels(), alone->options()),
      alone_(std::move(alone)),
      table_(std::move(table)) {}

// On text of 49,050 columns, with a cache of 2 MiB, models of 3 classes took 1/7.9 of the time, of 10 classes 1/2.1, of
// 20 1/1.5, of 40 1/1.3, and of 90 classes the same time.
bool lanes_of_classes_pay(std::size_t columns, std::size_t classes) {
  constexpr std::size_t numbers_of_a_vector = 8;
  return classes < numbers_of_a_vector || columns * classes * sizeof(float) <= 4 * level2_cache_bytes();
}

// On text of 47,603 columns, with a cache of 2 MiB, models with factors of 0.9 to 1.8 MiB took 1/1.4 to 1/3 of the
// time, of 3 MiB 1/1.1, and of 6 MiB a fifth more; on records of 123 columns, with 4 factors 1/4 to 1/9, and with 16
// factors 1/2 to 1/4.
bool lanes_of_factors_pay(std::size_t columns, std::size_t width, optimizer_kind by) {
  const std::size_t kept = columns * (width + 1) * (1 + state_arrays_of(by));
  return kept * sizeof(float) <= level2_cache_bytes();
}

bool lane_task::pays(const training_task& alone) {
  return alone.lanes() != nullptr && alone.lanes()->pays(alone.data().columns, alone.options().optimizer);
}

std::size_t lane_task::weights_of(const training_task& alone) {
  std::size_t weights = 0;
  for (const parameter_group& g : alone.facts().groups) weights += g.hot_first ? g.rows * g.width : 0;
  return weights;
}

std::unique_ptr<training_task> lane_task::on(const sparse_view& rows) const {
  return std::make_unique<lane_task>(alone_->on(rows), table_);
}

void lane_task::work(const worker_context& at) const {
  const step_context context{labels_, data_.degree, all_rows(), at.plan.options, data_.rows(), &at.store.control()};
  alone_->lanes()->train_lanes(at, context, *this, *table_);
}

namespace {

/// Sums over the rows of a chunk, for each lane.
struct lane_sums {
  alignas(64) std::array<double, most_lanes> loss{}, weight{};
  /// For each lane if all measures are asked for; else empty.
  std::vector<std::vector<float>> score, target, row_weight;
  std::vector<std::vector<std::uint32_t>> group;  ///< likewise, if rows have groups
};

/// For each fold: 1 for the lanes that are measured on its rows, 0 for the others.
class measured_folds {
 public:
  measured_folds(const lane_table& table, const sparse_view& rows, lane_task::rows_of_lane which)
      : table_(table), first_row_(rows.first_row), by_fold_(which != lane_task::rows_of_lane::all) {
    std::size_t folds = 1;
    for (const std::uint8_t f : table.fold) folds = std::max<std::size_t>(folds, f + std::size_t{1});
    lanes_.resize(by_fold_ ? folds : 1);
    any_.resize(lanes_.size());
    for (std::size_t f = 0; f < lanes_.size(); ++f) {
      for (std::size_t k = 0; k < table.lanes; ++k) {
        const std::uint32_t held_out = table.of[k].rows.held_out;
        const bool all = !by_fold_ || held_out == lane_rows::none;
        const bool measured = all || (held_out == f) == (which == lane_task::rows_of_lane::held_out);
        lanes_[f][k] = measured ? 1.0 : 0.0;
        any_[f] = any_[f] || (measured && table.of[k].trains);
      }
    }
  }

  const std::array<double, most_lanes>& of_row(std::size_t r) const { return lanes_[fold_of(r)]; }
  /// Whether any lane is measured on row r.
  bool any(std::size_t r) const { return any_[fold_of(r)]; }

 private:
  std::size_t fold_of(std::size_t r) const {
    return by_fold_ && !table_.fold.empty() ? table_.fold[first_row_ + r] : 0;
  }

  const lane_table& table_;
  std::size_t first_row_;
  bool by_fold_;
  std::vector<std::array<double, most_lanes>> lanes_;
  std::vector<bool> any_;
};

}  // namespace

std::vector<measurement> lane_task::measure(const param_store& store, std::span<const double> scale,
                                            const sparse_view& rows, rows_of_lane which, bool all_measures,
                                            thread_team& threads, measure_function scored) const {
  const std::size_t lanes = table_->lanes;
  const float* const v = store.parameters<float>().data();
  const chunk_plan plan(rows.rows(), 1024);
  const measured_folds measured(*table_, rows, which);
  std::vector<lane_sums> sums(plan.count());
  ticket_counter next{};
  next.open(1, 0);
  const auto note = [&](lane_sums& sum, std::size_t r, const float* score, const float* label) {
    sum.score.resize(lanes), sum.target.resize(lanes), sum.row_weight.resize(lanes), sum.group.resize(lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      if (!table_->of[k].trains || measured.of_row(r)[k] == 0.0) continue;
      sum.score[k].push_back(score[k]);
      sum.target[k].push_back(label[k]);
      if (!rows.weight.empty()) sum.row_weight[k].push_back(rows.weight[r]);
      if (!rows.group.empty()) sum.group[k].push_back(rows.group[r]);
    }
  };
  threads.run([&](std::size_t) {
    const lane_scorer scorer = alone_->lanes()->scorer(*this, *table_, rows, v, scale);
    std::array<std::size_t, batch_rows> drawn{};
    alignas(64) std::array<float, batch_rows * most_lanes> score, label;
    alignas(64) std::array<double, batch_rows * most_lanes> loss;
    while (const auto i = next.draw(1, plan.count())) {
      const chunk work = plan[*i];
      rows.ensure(work.first, work.last);
      for (std::size_t first = work.first; first < work.last; first += batch_rows) {
        std::size_t n = 0;
        for (std::size_t r = first; r < std::min(first + batch_rows, work.last); ++r)
          if (measured.any(r)) drawn[n++] = r;
        if (n == 0) continue;
        scorer(std::span<const std::size_t>(drawn).first(n), all_measures, score.data(), label.data(), loss.data());
        for (std::size_t b = 0, at = 0; b < n; ++b, at += lanes) {
          const std::array<double, most_lanes>& counts = measured.of_row(drawn[b]);
          const auto weight = static_cast<double>(rows.weight_of(drawn[b]));
          for (std::size_t k = 0; k < lanes; ++k) {
            sums[*i].loss[k] += weight * counts[k] * loss[at + k];
            sums[*i].weight[k] += weight * counts[k];
          }
          if (all_measures) note(sums[*i], drawn[b], &score[at], &label[at]);
        }
      }
    }
  });
  std::vector<measurement> result(lanes, measurement{.loss = std::numeric_limits<double>::quiet_NaN()});
  const bool one_class = alone_->margin() != nullptr && labels_.kind() == label_kind::classes;
  const label_kind kind = one_class ? label_kind::binary : labels_.kind();
  for (std::size_t k = 0; k < lanes; ++k) {
    if (!table_->of[k].trains) continue;
    double loss = 0.0, weight = 0.0;
    std::vector<float> score, target, row_weight;
    std::vector<std::uint32_t> group;
    for (const lane_sums& part : sums) {
      loss += part.loss[k];
      weight += part.weight[k];
      if (part.score.empty()) continue;  // no lane is measured on its rows, or all measures are not asked for
      score.insert(score.end(), part.score[k].begin(), part.score[k].end());
      target.insert(target.end(), part.target[k].begin(), part.target[k].end());
      row_weight.insert(row_weight.end(), part.row_weight[k].begin(), part.row_weight[k].end());
      group.insert(group.end(), part.group[k].begin(), part.group[k].end());
    }
    result[k].loss = loss / weight;
    if (!all_measures) continue;
    result[k] = scored(kind, result[k].loss, score, target, row_weight);
    if (scored == measure_scores) measure_groups(kind, score, target, row_weight, group, result[k]);
  }
  return result;
}

measurement lane_task::evaluate(const param_store& store, double, const sparse_view& rows, thread_team& threads, bool,
                                const std::stop_token&, std::size_t) const {
  std::vector<double> scale;
  for (const lane_round& lane : table_->of) scale.push_back(lane.l2.scale);
  double sum = 0.0, counted = 0.0;
  for (const measurement& of_lane : measure(store, scale, rows, rows_of_lane::trained_on, false, threads)) {
    if (std::isnan(of_lane.loss)) continue;
    sum += of_lane.loss;
    ++counted;
  }
  return {.loss = sum / counted};
}

double lane_task::squared_norm(const param_store& store, double, thread_team& threads) const {
  const auto stored = store.parameters<float>().first(weights() * table_->lanes);
  return sum_of_squares(stored, threads) / static_cast<double>(table_->lanes);
}

void lane_task::fold(const param_store&, double, thread_team&) const {}

std::vector<float> lane_task::parameters_of(const param_store& store, double) const {
  const std::size_t lanes = table_->lanes;
  const auto stored = store.parameters<float>();
  std::vector<float> w(stored.begin(), stored.end());
  for (std::size_t j = 0; j < weights(); ++j)
    for (std::size_t k = 0; k < lanes; ++k) w[j * lanes + k] *= static_cast<float>(table_->of[k].l2.scale);
  return w;
}

std::shared_ptr<lane_table> lane_table_for(const training_task& alone, std::size_t lanes) {
  detail::require(lanes == 8 || lanes == 16 || lanes == 32, "8, 16 or 32 models are trained side by side");
  const sparse_view& rows = alone.data();
  auto table = std::make_shared<lane_table>(lanes, rows.first_row);
  if (alone.options().proximal())
    for (const std::uint32_t degree : rows.degree) table->part.push_back(part_of_l1(rows.rows(), degree));
  return table;
}

std::unique_ptr<training_task> lanes_of_worker(std::unique_ptr<training_task> alone, std::size_t lanes,
                                               std::size_t place, const param_store& store) {
  if (store.table().size() != lanes * sizeof(lane_round))
    throw segment_error("segment " + store.name() + " has no room for the " + std::to_string(lanes) +
                        " models that its setup names; purge it and start the run again");
  const std::shared_ptr<const training_task> kept = std::move(alone);
  const auto table = lane_table_for(*kept, lanes);
  table->first_row = place;
  table->lie_in(store.table());
  return std::make_unique<lane_task>(kept, table);
}

}  // namespace hogwild
