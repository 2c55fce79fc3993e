// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/lane_task.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <hogwild/detail/loop/lane_proximal.hpp>
#include <hogwild/detail/loop/lane_step.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/sharing/dispatch.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/vector_passes.hpp>

#include "task/require.hpp"

namespace hogwild {

namespace {

const training_task& suited(const training_task& alone) {
  detail::require(lane_task::suits(alone), "models are trained side by side that are linear, under sgd");
  return alone;
}

task_facts facts_of_lanes(const training_task& alone, std::size_t lanes) {
  task_facts facts = alone.facts();
  facts.parameters *= lanes;
  for (parameter_group& g : facts.groups) g.offset *= lanes, g.width *= lanes;
  facts.margin = facts.scaled = false;
  facts.model_bytes.clear();  // by which another process would make one model of them
  return facts;
}

}  // namespace

bool lane_task::suits(const training_task& alone) {
  const loop_options& o = alone.options();
  return alone.margin() != nullptr && o.optimizer == optimizer_kind::sgd && o.form != l2_form::two_pass &&
         o.frozen_groups == 0 && !alone.data().label.lists();
}

lane_task::lane_task(std::shared_ptr<const training_task> alone, std::shared_ptr<const lane_table> table)
    : training_task(facts_of_lanes(suited(*alone), table->lanes), alone->data(), alone->labels(), alone->options()),
      alone_(std::move(alone)),
      loss_(*alone_->margin()),
      table_(std::move(table)) {}

std::unique_ptr<training_task> lane_task::on(const sparse_view& rows) const {
  return std::make_unique<lane_task>(alone_->on(rows), table_);
}

void lane_task::work(const worker_context& at) const {
  const auto train = [&](const auto& sharing) {
    const step_context context{labels_, data_.degree, all_rows(), at.plan.options, data_.rows()};
    if constexpr (requires { sharing.gains(); }) {
      return;  // refused where the engine is chosen
    } else if constexpr (requires { sharing.values(); }) {
      with_row_types(data_, [&]<class Index, class Value>() {
        using sharing_type = std::remove_cvref_t<decltype(sharing)>;
        const auto loop = [&](auto&& step) {
          worker_loop(at.store, at.slot, data_, at.plan.chunks, at.plan.options, step);
        };
        if (at.plan.options.proximal())
          loop(lane_proximal_batch<sharing_type, Index, Value>(sharing, loss_, *table_, context, data_));
        else
          loop(lane_batch_step<sharing_type, Index, Value>(sharing, loss_, *table_, context, data_));
      });
    } else {
      lane_row_step step(sharing, loss_, *table_, context, data_);
      worker_loop(at.store, at.slot, data_, at.plan.chunks, at.plan.options, step);
    }
  };
  const std::size_t first_singleton = by_chunks(at.plan.options.order) ? data_.first_singleton : data_.columns;
  with_sharing<float, sharing_choices::whole>(at, facts_.groups, data_.columns, first_singleton, train);
}

namespace {

/// What is summed up over the rows of a chunk, of each lane.
struct lane_sums {
  alignas(64) std::array<double, most_lanes> loss{}, weight{};
  /// Of each lane where there are all measures; else none.
  std::vector<std::vector<float>> score, target, row_weight;
};

/// Of each fold the lanes that are measured on its rows: 1, and 0 for the others.
class measured_folds {
 public:
  measured_folds(const lane_table& table, const sparse_view& rows, lane_task::rows_of_lane which)
      : table_(table), first_row_(rows.first_row), by_fold_(which != lane_task::rows_of_lane::all) {
    std::size_t folds = 1;
    for (const std::uint8_t f : table.fold) folds = std::max<std::size_t>(folds, f + std::size_t{1});
    lanes_.resize(by_fold_ ? folds : 1);
    for (std::size_t f = 0; f < lanes_.size(); ++f) {
      for (std::size_t k = 0; k < table.lanes; ++k) {
        const std::uint32_t held_out = table.of[k].rows.held_out;
        const bool all = !by_fold_ || held_out == lane_rows::none;
        const bool measured = all || (held_out == f) == (which == lane_task::rows_of_lane::held_out);
        lanes_[f][k] = measured ? 1.0 : 0.0;
      }
    }
  }

  const std::array<double, most_lanes>& of_row(std::size_t r) const {
    return lanes_[by_fold_ && !table_.fold.empty() ? table_.fold[first_row_ + r] : 0];
  }

 private:
  const lane_table& table_;
  std::size_t first_row_;
  bool by_fold_;
  std::vector<std::array<double, most_lanes>> lanes_;
};

constexpr std::array<double, most_lanes> no_shrink = [] {
  std::array<double, most_lanes> ones{};
  for (double& one : ones) one = 1.0;
  return ones;
}();

}  // namespace

std::vector<measurement> lane_task::measure(const param_store& store, std::span<const double> scale,
                                            const sparse_view& rows, rows_of_lane which, bool all_measures,
                                            thread_team& threads) const {
  const std::size_t lanes = table_->lanes;
  const float* const v = store.parameters<float>().data();
  const float* const bias = options_.bias != 0 ? v + data_.columns * lanes : no_biases.data();
  const chunk_plan plan(rows.rows(), 1024);
  const measured_folds measured(*table_, rows, which);
  const lane_labels labels(*table_, labels_, rows);
  std::vector<lane_sums> sums(plan.count());
  ticket_counter next{};
  next.open(1, 0);
  const auto note = [&](lane_sums& sum, std::size_t r, const float* margin, const float* label) {
    sum.score.resize(lanes), sum.target.resize(lanes), sum.row_weight.resize(lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      if (!table_->of[k].trains || measured.of_row(r)[k] == 0.0) continue;
      sum.score[k].push_back(loss_.prediction(margin[k]));
      sum.target[k].push_back(label[k]);
      if (!rows.weight.empty()) sum.row_weight[k].push_back(rows.weight[r]);
    }
  };
  threads.run([&](std::size_t) {
    with_row_types(rows, [&]<class Index, class Value>() {
      const lane_kernels<Index, Value>& kernels = lane_kernels_of<Index, Value>(options_.dense_isa);
      row_batch<Index, Value> batch = batch_on<Index, Value>(rows);
      std::array<std::size_t, batch_rows> drawn{};
      alignas(64) std::array<float, batch_rows * most_lanes> margin, label;
      alignas(64) std::array<double, batch_rows * most_lanes> loss;
      alignas(64) std::array<double, most_lanes> a{};
      alignas(64) std::array<float, most_lanes> rounded;
      std::ranges::copy(scale.first(lanes), a.begin());
      while (const auto i = next.draw(1, plan.count())) {
        const chunk work = plan[*i];
        rows.ensure(work.first, work.last);
        for (std::size_t first = work.first; first < work.last; first += batch_rows) {
          const std::size_t n = std::min(batch_rows, work.last - first);
          for (std::size_t b = 0; b < n; ++b) drawn[b] = first + b;
          take_rows(batch, rows, std::span<const std::size_t>(drawn).first(n));
          kernels.dots(v, lanes, batch, margin.data());
          for (std::size_t b = 0, at = 0; b < n; ++b, at += lanes) {
            kernels.margins(lanes, a.data(), no_shrink.data(), bias, &margin[at], rounded.data());
            for (std::size_t k = 0; !rows.offset.empty() && k < lanes; ++k) margin[at + k] += rows.offset[first + b];
            labels(first + b, &label[at]);
          }
          loss_.losses(n * lanes, margin.data(), label.data(), loss.data());
          for (std::size_t b = 0, at = 0; b < n; ++b, at += lanes) {
            const std::array<double, most_lanes>& counts = measured.of_row(first + b);
            const auto weight = static_cast<double>(rows.weight_of(first + b));
            for (std::size_t k = 0; k < lanes; ++k) {
              sums[*i].loss[k] += weight * counts[k] * loss[at + k];
              sums[*i].weight[k] += weight * counts[k];
            }
            if (all_measures) note(sums[*i], first + b, &margin[at], &label[at]);
          }
        }
      }
    });
  });
  std::vector<measurement> result(lanes, measurement{.loss = std::numeric_limits<double>::quiet_NaN()});
  const label_kind kind = labels_.kind() == label_kind::classes ? label_kind::binary : labels_.kind();
  for (std::size_t k = 0; k < lanes; ++k) {
    if (!table_->of[k].trains) continue;
    double loss = 0.0, weight = 0.0;
    std::vector<float> score, target, row_weight;
    for (const lane_sums& part : sums) {
      loss += part.loss[k];
      weight += part.weight[k];
      if (!all_measures) continue;
      score.insert(score.end(), part.score[k].begin(), part.score[k].end());
      target.insert(target.end(), part.target[k].begin(), part.target[k].end());
      row_weight.insert(row_weight.end(), part.row_weight[k].begin(), part.row_weight[k].end());
    }
    result[k].loss = loss / weight;
    if (all_measures) result[k] = measure_scores(kind, result[k].loss, score, target, row_weight);
  }
  return result;
}

measurement lane_task::evaluate(const param_store& store, double, const sparse_view& rows, thread_team& threads, bool,
                                const std::stop_token&) const {
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
  const auto weights = store.parameters<float>().first(data_.columns * table_->lanes);
  return sum_of_squares(weights, threads) / static_cast<double>(table_->lanes);
}

void lane_task::fold(const param_store&, double, thread_team&) const {}

std::vector<float> lane_task::parameters_of(const param_store& store, double) const {
  const std::size_t lanes = table_->lanes;
  const auto stored = store.parameters<float>();
  std::vector<float> w(stored.begin(), stored.end());
  for (std::size_t j = 0; j < data_.columns; ++j)
    for (std::size_t k = 0; k < lanes; ++k) w[j * lanes + k] *= static_cast<float>(table_->of[k].l2.scale);
  return w;
}

}  // namespace hogwild
