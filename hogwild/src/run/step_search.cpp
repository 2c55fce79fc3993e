// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/step_search.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

namespace {

constexpr std::size_t sample_nonzeros = 1'000'000, least_rows = 1000;
constexpr int most_doublings = 24;

/// Rows were shuffled at ingest, so the first ones are a fair sample.
sparse_view sample_of(const sparse_view& data) {
  const std::size_t rows = data.rows();
  const std::size_t by_work = sample_nonzeros * rows / std::max<std::size_t>(data.nonzeros(), 1);
  return data.slice(0, std::min(rows, std::max(by_work, least_rows)));
}

double mean_square_norm(const sparse_view& data) {
  double sum = 0.0;
  row_cursor cursor(data);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    for (const float x : cursor.row(r).value) sum += static_cast<double>(x) * static_cast<double>(x);
  }
  return sum / static_cast<double>(data.rows());
}

/// The sample's objective after one pass with this step; infinite where the pass is not possible or diverges. A loss
/// without a bound on its curvature may be wrecked and finite: there infinite, too, where the pass has raised it.
double objective_after_pass(const training_task& work, const loop_plan& plan, double step,
                            const std::function<void(std::span<float>)>& initial, const std::stop_token& stop) {
  const double l2 = work.options().l2;
  if (work.facts().scaled && step * l2 >= 0.5) return HUGE_VAL;
  const auto alone = start(serial_engine{}, work, plan, {});
  const stop_relay relay(stop, alone->store());
  work.begin(alone->store());
  work.change(alone->store(), initial);
  round_driver rounds(work, plan, *alone);
  const auto objective = [&] {
    const double loss = work.evaluate(alone->store(), rounds.scale(), work.data(), alone->helpers(), false, stop).loss;
    return loss + penalty_of(work, alone->store(), rounds.scale(), alone->helpers());
  };
  const double most = work.facts().unbounded_curvature ? objective() : HUGE_VAL;
  rounds.train_epoch(1, step);
  const double reached = objective();
  return std::isfinite(reached) && reached <= most ? reached : HUGE_VAL;
}

}  // namespace

double find_step(const training_task& work, const std::function<void(std::span<float>)>& initial,
                 const std::stop_token& stop) {
  sparse_view sample = sample_of(work.data());
  sample.ensure(0, sample.rows());
  const std::vector<std::uint32_t> degree = count_columns(sample);  // l2 by degree needs the sample's own counts
  sample.degree = degree;
  const std::unique_ptr<training_task> trial = work.on(sample);
  const loop_plan plan = trial->plan();
  const double scale = mean_square_norm(sample);
  const bool adaptive =
      state_arrays_of(work.options().optimizer) > 0 && work.options().optimizer != optimizer_kind::momentum;
  double best = adaptive || scale == 0.0 ? 0.125 : std::exp2(std::round(-std::log2(scale)));
  double lowest = objective_after_pass(*trial, plan, best, initial, stop);
  for (const double factor : {2.0, 0.5}) {
    const double from = best;
    for (int k = 0; k < most_doublings; ++k) {
      const double objective = objective_after_pass(*trial, plan, best * factor, initial, stop);
      if (stop.stop_requested()) return best;
      // From a size that diverges, smaller ones are tried until one does not.
      if (objective >= lowest && !(factor < 1.0 && lowest == HUGE_VAL)) break;
      lowest = objective;
      best *= factor;
    }
    if (best != from) break;
  }
  return best;
}

}  // namespace hogwild
