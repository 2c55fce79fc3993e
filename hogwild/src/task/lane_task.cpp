// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/lane_task.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <hogwild/detail/loop/lane_step.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/sharing/dispatch.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/vector_passes.hpp>

#include "task/require.hpp"

namespace hogwild {

namespace {

task_facts facts_of_lanes(const training_task& alone, std::size_t lanes) {
  task_facts facts = alone.facts();
  facts.parameters *= lanes;
  for (parameter_group& g : facts.groups) g.offset *= lanes, g.width *= lanes;
  facts.margin = facts.scaled = false;
  return facts;
}

}  // namespace

bool lane_task::suits(const training_task& alone) {
  const loop_options& o = alone.options();
  return alone.margin() != nullptr && o.optimizer == optimizer_kind::sgd && o.form != l2_form::two_pass &&
         !o.proximal() && o.frozen_groups == 0 && !alone.data().label.lists();
}

lane_task::lane_task(std::shared_ptr<const training_task> alone, std::shared_ptr<const lane_table> table)
    : training_task(facts_of_lanes(*alone, table->lanes), alone->data(), alone->labels(), alone->options()),
      alone_(std::move(alone)),
      loss_(*alone_->margin()),
      table_(std::move(table)) {
  detail::require(suits(*alone_), "models are trained side by side that are linear, under sgd, without l1");
}

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
        lane_batch_step<sharing_type, Index, Value> step(sharing, loss_, *table_, context, data_);
        worker_loop(at.store, at.slot, data_, at.plan.chunks, at.plan.options, step);
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

/// The rows of lane k among rows [first, first + n): numbers within them.
class rows_of_lanes {
 public:
  rows_of_lanes(const lane_table& table, const sparse_view& rows, lane_task::rows_of_lane which)
      : table_(table), rows_(rows), which_(which) {}

  bool operator()(std::size_t k, std::size_t r) const {
    const std::uint32_t held_out = table_.of[k].rows.held_out;
    if (which_ == lane_task::rows_of_lane::all || held_out == lane_rows::none) return true;
    const bool held = table_.fold[rows_.first_row + r] == held_out;
    return held == (which_ == lane_task::rows_of_lane::held_out);
  }

 private:
  const lane_table& table_;
  const sparse_view& rows_;
  lane_task::rows_of_lane which_;
};

/// Of one lane on the rows of a chunk.
struct lane_sum {
  double loss = 0.0, weight = 0.0;
  std::vector<float> score, target, row_weight;
};

}  // namespace

std::vector<measurement> lane_task::measure(const param_store& store, std::span<const double> scale,
                                            const sparse_view& rows, rows_of_lane which, bool all_measures,
                                            thread_team& threads) const {
  const std::size_t lanes = table_->lanes;
  const float* const v = store.parameters<float>().data();
  const float* const bias = options_.bias != 0 ? v + data_.columns * lanes : nullptr;
  const chunk_plan plan(rows.rows(), 1024);
  const rows_of_lanes measured(*table_, rows, which);
  std::vector<std::vector<lane_sum>> sums(plan.count());
  ticket_counter next{};
  next.open(1, 0);
  const auto add = [&](lane_sum& sum, std::size_t k, std::size_t r, float margin) {
    const std::uint32_t positive = table_->of[k].rows.positive;
    float label = labels_.encode(rows.label[r]);
    if (positive != lane_rows::none) label = label == static_cast<float>(positive) ? 1.0f : -1.0f;
    const float weight = rows.weight_of(r);
    sum.loss += static_cast<double>(weight) * loss_.loss(margin, label);
    sum.weight += static_cast<double>(weight);
    if (!all_measures) return;
    sum.score.push_back(loss_.prediction(margin));
    sum.target.push_back(label);
    if (!rows.weight.empty()) sum.row_weight.push_back(weight);
  };
  threads.run([&](std::size_t) {
    with_row_types(rows, [&]<class Index, class Value>() {
      const lane_kernels<Index, Value>& kernels = lane_kernels_of<Index, Value>(options_.isa);
      row_batch<Index, Value> batch = batch_on<Index, Value>(rows);
      std::array<std::size_t, batch_rows> drawn{};
      std::array<float, batch_rows * most_lanes> dots;
      while (const auto i = next.draw(1, plan.count())) {
        const chunk work = plan[*i];
        rows.ensure(work.first, work.last);
        sums[*i].resize(lanes);
        for (std::size_t first = work.first; first < work.last; first += batch_rows) {
          const std::size_t n = std::min(batch_rows, work.last - first);
          for (std::size_t b = 0; b < n; ++b) drawn[b] = first + b;
          take_rows(batch, rows, std::span<const std::size_t>(drawn).first(n));
          kernels.dots(v, lanes, batch, dots.data());
          for (std::size_t k = 0; k < lanes; ++k) {
            if (!table_->of[k].trains) continue;
            const auto a = static_cast<float>(scale[k]);
            for (std::size_t b = 0; b < n; ++b) {
              if (!measured(k, first + b)) continue;
              const float moved = a * dots[b * lanes + k] + (bias != nullptr ? bias[k] : 0.0f);
              add(sums[*i][k], k, first + b, rows.offset.empty() ? moved : moved + rows.offset[first + b]);
            }
          }
        }
      }
    });
  });
  std::vector<measurement> result(lanes, measurement{.loss = std::numeric_limits<double>::quiet_NaN()});
  const label_kind kind = labels_.kind() == label_kind::classes ? label_kind::binary : labels_.kind();
  for (std::size_t k = 0; k < lanes; ++k) {
    lane_sum all;
    for (std::vector<lane_sum>& part : sums) {
      all.loss += part[k].loss;
      all.weight += part[k].weight;
      const auto append = [](std::vector<float>& to, const std::vector<float>& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      append(all.score, part[k].score);
      append(all.target, part[k].target);
      append(all.row_weight, part[k].row_weight);
      part[k] = {};
    }
    if (all.weight == 0.0) continue;
    result[k].loss = all.loss / all.weight;
    if (all_measures) result[k] = measure_scores(kind, result[k].loss, all.score, all.target, all.row_weight);
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
