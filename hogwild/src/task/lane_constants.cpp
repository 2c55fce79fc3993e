// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/lane_task.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <vector>

#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/loop/row_lanes.hpp>
#include <hogwild/detail/task/class_constants.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/linear_classes.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild {

namespace {

/// The rows that each lane is trained on, and how often each row counts.
class rows_of_lanes {
 public:
  rows_of_lanes(const lane_table& table, const sparse_view& data) : table_(table), data_(data) {}

  bool takes(std::size_t k, std::size_t r) const {
    return table_.fold.empty() || table_.of[k].rows.held_out != table_.fold[data_.first_row + r];
  }
  float weight(std::size_t k, std::size_t r) const {
    const std::uint64_t bootstrap = table_.of[k].rows.bootstrap;
    return data_.weight_of(r) * (bootstrap == 0 ? 1.0f : bootstrap_count(bootstrap, table_.first_row + r));
  }
  bool weighs(std::size_t k) const { return !data_.weight.empty() || table_.of[k].rows.bootstrap != 0; }

 private:
  const lane_table& table_;
  const sparse_view& data_;
};

/// Whether all weights of these lanes are 0.
bool are_fresh(std::span<const float> weights, std::size_t lanes, const std::bitset<most_lanes>& which) {
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] != 0.0f && which[i % lanes]) return false;
  return true;
}

/// The margins of each row in all lanes.
std::vector<float> margins_of_lanes(const training_task& alone, std::size_t lanes, const float* v,
                                    std::span<const double> scale, thread_team& threads, const std::stop_token& stop) {
  const sparse_view& data = alone.data();
  std::vector<float> margin(data.rows() * lanes);
  with_row_types(data, [&]<class Index, class Value>() {
    const auto& kernels = lane_kernels_of<Index, Value>(alone.options().dense_isa);
    const auto of_thread = [&] {
      return [&, batch = batch_on<Index, Value>(data)](const chunk& rows, std::span<float>, std::span<float>) mutable {
        alignas(64) std::array<float, batch_rows * most_lanes> dots;
        for_few_rows(rows, stop, [&](std::size_t first, const auto& few) {
          take_rows(batch, data, few);
          kernels.dots(v, lanes, batch, dots.data());
          for (std::size_t i = 0; i < few.size() * lanes; ++i)
            margin[first * lanes + i] = static_cast<float>(scale[i % lanes]) * dots[i];
        });
        return 0.0;
      };
    };
    evaluate_chunks(data, alone.labels(), threads, chunk_plan(data.rows(), 1024), false, of_thread, measure_scores,
                    stop);
  });
  return margin;
}

void minimise_biases(const training_task& alone, const lane_table& table, const param_store& store,
                     std::span<const double> scale, const std::bitset<most_lanes>& which, thread_team& threads,
                     const std::stop_token& stop) {
  const sparse_view& data = alone.data();
  const std::size_t lanes = table.lanes;
  const std::span<float> all = store.parameters<float>();
  const std::span<float> biases = all.subspan(data.columns * lanes, lanes);
  std::vector<float> margins;
  if (!are_fresh(all.first(data.columns * lanes), lanes, which))
    margins = margins_of_lanes(alone, lanes, all.data(), scale, threads, stop);
  if (stop.stop_requested()) return;
  const rows_of_lanes of(table, data);
  ticket_counter next{};
  next.open(1, 0);
  threads.run([&](std::size_t) {
    const auto one_thread = thread_team::make(thread_team_kind::std, 1, false);
    while (const auto k = next.draw(1, lanes)) {
      if (!which[*k]) continue;
      const std::uint32_t positive = table.of[*k].rows.positive;
      std::vector<float> margin, label, offset, weight;
      for (std::size_t r = 0; r < data.rows(); ++r) {
        if (!of.takes(*k, r)) continue;
        const float given = alone.labels().encode(data.label[r]);
        margin.push_back(margins.empty() ? 0.0f : margins[r * lanes + *k]);
        label.push_back(positive == lane_rows::none ? given : given == static_cast<float>(positive) ? 1.0f : -1.0f);
        if (!data.offset.empty()) offset.push_back(data.offset[r]);
        if (of.weighs(*k)) weight.push_back(of.weight(*k, r));
      }
      biases[*k] = lower_constant(*alone.margin(), {margin, label, offset, weight}, {biases[*k]}, *one_thread);
    }
  });
}

using sums_of_lanes = std::vector<std::optional<class_sums>>;
struct losses_of_lanes {
  std::array<double, most_lanes> of{};
};

/// Passes over all rows with the parameters of all lanes that have sums.
losses_of_lanes pass_of_lanes(const training_task& alone, const lane_table& table, const param_store& store,
                              sums_of_lanes& sums, thread_team& threads, const std::stop_token& stop) {
  const sparse_view& data = alone.data();
  const linear_classes& m = *alone.classes();
  const std::size_t lanes = table.lanes;
  const rows_of_lanes of(table, data);
  std::mutex mutex;
  const chunk_plan plan(data.rows(), 1024);
  std::vector<losses_of_lanes> losses(plan.count());
  with_row_types(data, [&]<class Index, class Value>() {
    const auto of_thread = [&] {
      return [&, batch = batch_on<Index, Value>(data),
              kernels = row_lanes<class_arrays, Index, Value>(m, data.columns, lanes, alone.options().isa),
              scores = std::vector<float>(m.classes * lanes), of_lanes = std::vector<float>(m.classes * lanes)](
                 const chunk& rows, std::span<float>, std::span<float>) mutable {
        sums_of_lanes mine(lanes);
        std::uint32_t given = 0;
        std::array<std::span<const std::uint32_t>, most_lanes> same;
        same.fill({&given, 1});
        std::array<std::size_t, most_lanes> lane;
        std::array<double, most_lanes> loss;
        for (std::size_t k = 0; k < lanes; ++k)
          if (sums[k]) mine[k].emplace(m);
        for (std::size_t r = rows.first; r < rows.last && !stop.stop_requested(); ++r) {
          take_rows(batch, data, std::span(&r, 1));
          kernels.score(store.parameters<float>().data(), batch, scores.data());
          given = static_cast<std::uint32_t>(alone.labels().encode(data.label[r]));
          std::size_t taking = 0;
          for (std::size_t k = 0; k < lanes; ++k) {
            if (!mine[k] || !of.takes(k, r)) continue;
            for (std::size_t c = 0; c < m.classes; ++c) of_lanes[taking * m.classes + c] = scores[c * lanes + k];
            lane[taking++] = k;
          }
          m.respond(taking, of_lanes.data(), same.data(), loss.data());
          for (std::size_t i = 0; i < taking; ++i) {
            const std::size_t k = lane[i];
            const float weight = of.weight(k, r);
            losses[rows.index].of[k] += static_cast<double>(weight) * loss[i];
            mine[k]->add(&of_lanes[i * m.classes], same[i], weight);
          }
        }
        const std::scoped_lock lock(mutex);
        for (std::size_t k = 0; k < lanes; ++k)
          if (mine[k]) sums[k]->add(*mine[k]);
        return 0.0;
      };
    };
    evaluate_chunks(data, alone.labels(), threads, plan, false, of_thread, measure_scores, stop);
  });
  losses_of_lanes all;
  for (const losses_of_lanes& part : losses)
    for (std::size_t k = 0; k < lanes; ++k) all.of[k] += part.of[k];
  return all;
}

void minimise_constants_of_classes(const training_task& alone, const lane_table& table, const param_store& store,
                                   const std::bitset<most_lanes>& which, thread_team& threads,
                                   const std::stop_token& stop) {
  const sparse_view& data = alone.data();
  const linear_classes& m = *alone.classes();
  const std::size_t lanes = table.lanes, weights = data.columns * m.classes * lanes;
  const std::span<float> all = store.parameters<float>();
  const auto put = [&](std::size_t k, std::span<const float> constants) {
    for (std::size_t c = 0; c < m.classes; ++c) all[weights + c * lanes + k] = constants[c];
  };
  if (are_fresh(all, lanes, which)) {
    const rows_of_lanes of(table, data);
    for (std::size_t k = 0; k < lanes; ++k) {
      if (!which[k]) continue;
      class_sums sums(m);
      for (std::size_t r = 0; r < data.rows(); ++r) {
        const auto given = static_cast<std::uint32_t>(alone.labels().encode(data.label[r]));
        if (of.takes(k, r)) sums.add_unscored(std::span(&given, 1), of.weight(k, r));
      }
      put(k, sums.of_unscored());
    }
    return;
  }
  std::vector<std::optional<class_descent>> descents(lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    if (!which[k]) continue;
    std::vector<float> constants;
    for (std::size_t c = 0; c < m.classes; ++c) constants.push_back(all[weights + c * lanes + k]);
    descents[k].emplace(std::move(constants));
  }
  for (bool any = true; any && !stop.stop_requested();) {
    sums_of_lanes sums(lanes);
    for (std::size_t k = 0; k < lanes; ++k)
      if (descents[k]) sums[k].emplace(m);
    const losses_of_lanes losses = pass_of_lanes(alone, table, store, sums, threads, stop);
    if (stop.stop_requested()) return;
    any = false;
    for (std::size_t k = 0; k < lanes; ++k) {
      if (!descents[k]) continue;
      const bool goes_on = descents[k]->take(*sums[k], losses.of[k], losses.of[k]);
      put(k, descents[k]->constants());
      if (!goes_on) descents[k].reset();
      any = any || goes_on;
    }
  }
}

}  // namespace

void minimise_lane_constants(const training_task& alone, const lane_table& table, const param_store& store,
                             std::span<const double> scale, const std::bitset<most_lanes>& which, thread_team& threads,
                             const std::stop_token& stop) {
  if (which.none() || !has_constant(alone)) return;
  if (alone.margin() != nullptr)
    minimise_biases(alone, table, store, scale, which, threads, stop);
  else if (alone.classes() != nullptr)
    minimise_constants_of_classes(alone, table, store, which, threads, stop);
}

}  // namespace hogwild
