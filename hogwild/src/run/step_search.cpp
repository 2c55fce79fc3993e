// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/step_search.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

namespace {

constexpr std::size_t sample_nonzeros = 1'000'000, least_rows = 1000;
constexpr int most_doublings = 24;

/// Rows were shuffled at ingest, so the first ones are a fair sample.
sparse_view sample_of(const sparse_view& data, std::size_t least = least_rows) {
  const std::size_t rows = data.rows();
  const std::size_t by_work = sample_nonzeros * rows / std::max<std::size_t>(data.nonzeros(), 1);
  return data.slice(0, std::min(rows, std::max(by_work, least)));
}

/// A task on a sample of another one's rows.
class sampled_task {
 public:
  sampled_task(const training_task& work, std::size_t least) : sample_(sample_of(work.data(), least)) {
    sample_.ensure(0, sample_.rows());
    if (!work.facts().scaled) degree_ = count_columns(sample_);  // l2 by degree needs the sample's own counts
    sample_.degree = degree_;
    task_ = work.on(sample_);
  }
  sampled_task(const sampled_task&) = delete;
  sampled_task& operator=(const sampled_task&) = delete;

  const sparse_view& rows() const { return sample_; }
  const std::shared_ptr<const training_task>& task() const { return task_; }

 private:
  sparse_view sample_;
  std::vector<std::uint32_t> degree_{};
  std::shared_ptr<const training_task> task_{};
};

double number(float x) {
  return static_cast<double>(x);
}
double number(half x) {
  return static_cast<double>(to_float(x));
}

double mean_square_norm(const sparse_view& data) {
  std::array<double, 4> sums{};  // none of which waits for another
  with_row_types(data, [&]<class Index, class Value>() {
    const Value* const value = batch_on<Index, Value>(data).value;
    for (std::size_t k = data.row_start.front(); k < data.row_start[data.rows()]; ++k) {
      const auto x = number(value[k]);
      sums[k % sums.size()] += x * x;
    }
  });
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) / static_cast<double>(data.rows());
}

/// The sample's objective after one pass with this step; infinite where the pass is not possible or diverges. A loss
/// without a bound on its curvature may be wrecked and finite: there infinite, too, where the pass has raised it.
template <class Engine>
double objective_after_pass(const Engine& engine, const training_task& work, const loop_plan& plan, double step,
                            const std::function<void(std::span<float>)>& initial, const std::stop_token& stop) {
  const double l2 = work.options().l2;
  if (work.facts().scaled && step * l2 >= 0.5) return HUGE_VAL;
  const auto alone = start(engine, work, plan, {});
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

/// Objectives of the sample after one pass, with steps that are a first one times powers of two. Where models can be
/// trained side by side, those of several steps are found by one pass.
class tried_steps {
 public:
  tried_steps(const std::shared_ptr<const training_task>& trial, double first,
              const std::function<void(std::span<float>)>& initial, const std::stop_token& stop)
      : trial_(trial), plan_(trial->plan()), first_(first), initial_(initial), stop_(stop) {
    // The objective that no pass may exceed is asked for once a pass.
    const bool one_by_one = trial->facts().unbounded_curvature || plan_.options.sharing != access_kind::alone;
    if (one_by_one || !lane_task::suits(*trial) || !lane_task::pays(*trial)) return;
    lanes_.emplace(trial, plan_.options, steps_at_once, std::make_unique<engine_of<serial_engine>>(serial_engine{}));
    begin_ = lanes_->beginning();
    if (initial) initial(begin_);
  }

  double step(int power) const { return std::ldexp(first_, power); }

  double objective(int power) {
    if (!found_.contains(power)) lanes_ ? try_several(power) : try_one(power);
    return found_.at(power);
  }

 private:
  static constexpr std::size_t steps_at_once = 8;

  void try_one(int power) {
    found_[power] = objective_after_pass(serial_engine{}, *trial_, plan_, step(power), initial_, stop_);
  }

  /// From this power on, away from those that are known.
  void try_several(int power) {
    constexpr int several = steps_at_once;
    const bool first_time = found_.empty(), downwards = !first_time && power < found_.begin()->first;
    const int least = first_time ? power - 2 : downwards ? power - several + 1 : power;
    std::array<double, steps_at_once> steps{};
    for (std::size_t k = 0; k < steps_at_once; ++k) {
      const double l1 = trial_->options().l1, l2 = trial_->options().l2;
      const int tried = least + static_cast<int>(k);
      steps[k] = step(tried);
      found_[tried] = HUGE_VAL;
      if (!trial_->facts().scaled || steps[k] * l2 < 0.5)
        lanes_->place(k, {.l1 = l1, .l2 = l2}, begin_);
      else
        lanes_->clear(k);
    }
    lanes_->train(1, steps, stop_);
    const auto measured = lanes_->measure(trial_->data(), lane_task::rows_of_lane::all, false);
    const std::vector<double> penalties = lanes_->penalties();
    for (std::size_t k = 0; k < steps_at_once; ++k) {
      const double objective = measured[k].loss + penalties[k];
      if (std::isfinite(objective)) found_[least + static_cast<int>(k)] = objective;
    }
  }

  std::shared_ptr<const training_task> trial_;
  loop_plan plan_;
  double first_;
  const std::function<void(std::span<float>)>& initial_;
  std::stop_token stop_;
  std::vector<float> begin_{};
  std::map<int, double> found_{};  ///< by power
  std::optional<lane_run> lanes_{};
};

}  // namespace

double find_step(const training_task& work, const std::function<void(std::span<float>)>& initial,
                 const std::stop_token& stop) {
  const sampled_task sampled(work, least_rows);
  const std::shared_ptr<const training_task>& trial = sampled.task();
  const double scale = mean_square_norm(sampled.rows());
  const bool adaptive =
      state_arrays_of(work.options().optimizer) > 0 && work.options().optimizer != optimizer_kind::momentum;
  const double first = adaptive || scale == 0.0 ? 0.125 : std::exp2(std::round(-std::log2(scale)));
  tried_steps tried(trial, first, initial, stop);
  int best = 0;
  double lowest = tried.objective(0);
  for (const int direction : {1, -1}) {
    const int from = best;
    for (int k = 0; k < most_doublings; ++k) {
      const double objective = tried.objective(best + direction);
      if (stop.stop_requested()) return tried.step(best);
      // From a size that diverges, smaller ones are tried until one does not.
      if (objective >= lowest && !(direction < 0 && lowest == HUGE_VAL)) break;
      lowest = objective;
      best += direction;
    }
    if (best != from) break;
  }
  return tried.step(best);
}

double step_factor(const training_task& work, const loop_options& loop, double found, std::size_t rows,
                   const std::function<void(std::span<float>)>& initial, const std::stop_token& stop) {
  constexpr std::size_t least_steps = 64;
  const sampled_task sampled(work, std::max(least_rows, least_steps * rows));
  const training_task& trial = *sampled.task();
  const std::size_t all = sampled.rows().rows(), between = std::min(rows, all);
  loop_options one_rank = loop;
  one_rank.shards = sharding::fixed;
  one_rank.sharing = access_kind::gathered;
  one_rank.exchange = {
      .rows = between,
      .gain_weight = std::ceil(static_cast<double>(all) / static_cast<double>(between)) / static_cast<double>(all),
      .workers = 1};
  const sync_engine alone{.workers = 1, .rows = between, .pin = false};
  const loop_plan plan = trial.plan(one_rank);
  const auto objective = [&](double factor) {
    return objective_after_pass(alone, trial, plan, found * factor, initial, stop);
  };
  double factor = static_cast<double>(rows), lowest = objective(factor);
  while (factor > 1.0 && !stop.stop_requested()) {
    const double half = std::max(1.0, factor / 2.0), reached = objective(half);
    if (reached >= lowest && lowest != HUGE_VAL) break;
    factor = half, lowest = reached;
  }
  return factor;
}

}  // namespace hogwild
