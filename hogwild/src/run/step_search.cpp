// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/step_search.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

namespace {

constexpr int most_doublings = 24;

/// A task on a sample of another task's rows.
class sampled_task {
 public:
  explicit sampled_task(const training_task& work, std::size_t least = fewest_first_rows)
      : sample_(first_rows_of(work.data(), least)) {
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

/// A run on the sample, of one pass or two.
class sample_run {
 public:
  template <class Engine>
  sample_run(const Engine& engine, const training_task& work, const loop_plan& plan, const run_beginning& begin,
             const std::stop_token& stop)
      : work_(work),
        stop_(stop),
        alone_(start(engine, work, plan, {})),
        relay_(stop, alone_->store()),
        rounds_(work, plan, *alone_) {
    work.begin(alone_->store());
    work.change(alone_->store(), begin.parameters, begin.state);
    if (!begin.parameters) put_constant();
  }

  double objective() const {
    const param_store& store = alone_->store();
    const double loss = work_.evaluate(store, rounds_.scale(), work_.data(), alone_->helpers(), false, stop_).loss;
    return loss + penalty_of(work_, store, rounds_.scale(), alone_->helpers());
  }
  void pass(double step) {
    rounds_.train_epoch(1, step);
    put_constant();
  }

 private:
  void put_constant() {
    minimise_constant(work_, alone_->store(), rounds_.scale(), alone_->helpers(), {.stop = stop_});
  }

  const training_task& work_;
  std::stop_token stop_;
  std::unique_ptr<engine_run> alone_;
  stop_relay relay_;
  round_driver rounds_;
};

/// The sample's objective after one pass with this step, and one with the step `falls` times as large if that is not 0;
/// infinite if a pass is not possible or diverges. Without a bound on its curvature a loss may diverge to a finite
/// value; then the result is also infinite if the passes have raised the objective.
template <class Engine>
double objective_after_pass(const Engine& engine, const training_task& work, const loop_plan& plan, double step,
                            const run_beginning& begin, const std::stop_token& stop, double falls = 0.0) {
  if (work.facts().scaled && step * work.options().l2 >= 0.5) return HUGE_VAL;
  sample_run run(engine, work, plan, begin, stop);
  const double most = work.facts().unbounded_curvature ? run.objective() : HUGE_VAL;
  run.pass(step);
  if (falls > 0.0) run.pass(falls * step);
  const double reached = run.objective();
  return std::isfinite(reached) && reached <= most ? reached : HUGE_VAL;
}

/// Whether an objective is below the lowest so far by clearly more than rounding. If two steps end nearly alike,
/// rounding would decide between them, and differently in each unit of the entries; as they are equally good, the one
/// that was tried first stays. Each update rounds a weight up or down by about 2^-24 of its value. After the thousands
/// of updates of a sample, weights are off by about 1e-5 of their values, and the fall of the objective by as much, or
/// by more if a row crosses a kink of its loss. A thousandth of the fall from `start` is beyond that; and while a step
/// is much too short, twice the step doubles the fall. If the objective has fallen by more than is left of it, the
/// bound is a thousandth of what is left.
bool clearly_below(double objective, double lowest, double start) {
  constexpr double part = 1e-3;
  if (!std::isfinite(lowest)) return objective < lowest;
  return objective < lowest - part * std::min(std::abs(lowest), std::abs(start - lowest));
}

/// Objectives of the sample after one pass, with steps that are a first one times powers of two. If models can be
/// trained side by side, one pass tries several steps.
class tried_steps {
 public:
  tried_steps(const std::shared_ptr<const training_task>& trial, double first, const run_beginning& begin,
              const std::stop_token& stop)
      : trial_(trial), plan_(trial->plan()), first_(first), begin_(begin), stop_(stop) {
    // With unbounded curvature each pass needs an evaluation before it (objective_after_pass). A lane begins without
    // state.
    const bool one_by_one =
        trial->facts().unbounded_curvature || plan_.options.sharing != access_kind::alone || begin.state.change;
    if (one_by_one || !lane_task::suits(*trial) || !lane_task::pays(*trial)) return;
    lanes_.emplace(trial, plan_.options, steps_at_once, std::make_unique<engine_of<serial_engine>>(serial_engine{}));
    if (!begin.parameters) return;  // a lane begins as a model alone does
    begin_of_lane_ = lanes_->beginning();
    begin.parameters(begin_of_lane_);
  }

  double step(int power) const { return std::ldexp(first_, power); }

  /// The objective before any pass; the largest number if it is not finite.
  double start() {
    const double objective =
        lanes_ ? start_of_lane() : sample_run(serial_engine{}, *trial_, plan_, begin_, stop_).objective();
    return std::isfinite(objective) ? objective : std::numeric_limits<double>::max();
  }

  double objective(int power) {
    if (!found_.contains(power)) lanes_ ? try_several(power) : try_one(power);
    return found_.at(power);
  }

 private:
  static constexpr std::size_t steps_at_once = 8;

  void try_one(int power) {
    found_[power] = objective_after_pass(serial_engine{}, *trial_, plan_, step(power), begin_, stop_);
  }

  double start_of_lane() {
    lanes_->place(0, {.l1 = trial_->options().l1, .l2 = trial_->options().l2}, begin_of_lane_);
    const double loss = lanes_->measure(trial_->data(), lane_task::rows_of_lane::all, false).front().loss;
    return loss + lanes_->penalties().front();
  }

  /// Tries several powers from this one on, away from the known ones.
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
        lanes_->place(k, {.l1 = l1, .l2 = l2}, begin_of_lane_);
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
  const run_beginning& begin_;
  std::stop_token stop_;
  std::vector<float> begin_of_lane_{};
  std::map<int, double> found_{};  ///< by power
  std::optional<lane_run> lanes_{};
};

/// The first step of the search, which multiplies it by powers of two. If all entries are multiplied by c, all steps
/// that are tried for a linear model are divided by the square of c, or by c under an optimiser that divides by the
/// size of gradients.
double first_step(const training_task& work, double square_of_row) {
  const loop_options& o = work.options();
  constexpr double usual = 0.125;
  if (square_of_row == 0.0) return usual;
  const bool linear = is_of_linear_model(work);
  if (!optimizer_facts_of(o.optimizer).one_step) return linear ? usual / std::sqrt(square_of_row) : usual;
  const double first = linear ? 1.0 / square_of_row : std::exp2(std::round(-std::log2(square_of_row)));
  // Larger steps are refused (objective_after_pass).
  return work.facts().scaled && first * o.l2 >= 0.5 ? 0.25 / o.l2 : first;
}

}  // namespace

double find_step(const training_task& work, const run_beginning& begin, const std::stop_token& stop) {
  const sampled_task sampled(work);
  const std::shared_ptr<const training_task>& trial = sampled.task();
  const double first = first_step(*trial, squares_of_entries(sampled.rows()).of_row());
  tried_steps tried(trial, first, begin, stop);
  int best = 0;
  double lowest = tried.objective(0);
  if (stop.stop_requested()) return tried.step(best);
  const double start = tried.start();
  for (const int direction : {1, -1}) {
    const int from = best;
    // A step that leaves the objective above its beginning is too large: smaller ones are tried until one does not.
    if (direction > 0 && lowest > start) continue;
    for (int k = 0; k < most_doublings; ++k) {
      const double objective = tried.objective(best + direction);
      if (stop.stop_requested()) return tried.step(best);
      if (!clearly_below(objective, lowest, start) && !(direction < 0 && lowest > start)) break;
      lowest = objective;
      best += direction;
    }
    if (best != from) break;
  }
  return tried.step(best);
}

double step_factor(const training_task& work, const loop_options& loop, double found, std::size_t rows,
                   const run_beginning& begin, const std::stop_token& stop) {
  constexpr std::size_t least_steps = 64;
  const sampled_task sampled(work, std::max(fewest_first_rows, least_steps * rows));
  const training_task& trial = *sampled.task();
  const std::size_t all = sampled.rows().rows(), between = std::min(rows, all);
  loop_options one_rank = loop;
  one_rank.shards = sharding::fixed;
  one_rank.sharing = access_kind::gathered;
  one_rank.exchange = {.rows = between, .gain_weight = 1.0 / static_cast<double>(between), .workers = 1};
  const sync_engine alone{.workers = 1, .rows = between, .pin = false};
  const loop_plan plan = trial.plan(one_rank);
  // A run's steps fall, and with them the noise that large ones leave: that noise must not decide.
  constexpr double falls = 0.1;
  const auto objective = [&](double factor) {
    return objective_after_pass(alone, trial, plan, found * factor, begin, stop, falls);
  };
  const double start = sample_run(alone, trial, plan, begin, stop).objective();
  double factor = static_cast<double>(rows), lowest = objective(factor);
  while (factor > 1.0 && !stop.stop_requested()) {
    const double half = std::max(1.0, factor / 2.0), reached = objective(half);
    if (!clearly_below(reached, lowest, start) && lowest != HUGE_VAL) break;
    factor = half, lowest = reached;
  }
  return factor;
}

}  // namespace hogwild
