// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/run_training.hpp>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/data_notes.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/rank_paths.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/run/step_search.hpp>
#include <hogwild/detail/run/time_limit.hpp>
#include <hogwild/engines.hpp>

#include "run/memory_need.hpp"
#include "run/model_run.hpp"
#include "run/run_report.hpp"

// Prepares a run up to its first epoch: a step, a sharing, the workers.

namespace hogwild {

namespace {

/// Adds its lifetime to `seconds`.
class search_clock {
 public:
  explicit search_clock(double& seconds) : seconds_(seconds) {}
  search_clock(const search_clock&) = delete;
  search_clock& operator=(const search_clock&) = delete;
  ~search_clock() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The default decay, if neither the user nor the model gives one. A found step is as large as one pass allows, so it
/// has to fall; any other step is used as the user or the model gives it.
double default_decay(schedule_kind kind, std::size_t epochs, bool found) {
  const double passes = static_cast<double>(epochs - 1);
  const bool falls = found && passes > 0.0;
  if (kind == schedule_kind::linear) return 1.0 / static_cast<double>(epochs);
  if (kind == schedule_kind::cosine) return 0.01;
  if (kind == schedule_kind::plateau) return 0.5;
  if (kind == schedule_kind::geometric) return falls ? std::pow(0.01, 1.0 / passes) : 1.0;
  return falls ? 99.0 / passes : 0.0;
}
void fill_decay(step_schedule& schedule, bool found) {
  if (schedule.decay == 0.0 && schedule.kind != schedule_kind::constant)
    schedule.decay = default_decay(schedule.kind, schedule.epochs - schedule.warm_up, found);
}

/// The step and its schedule: given, the model's, a checkpoint's, or found.
void find_schedule(const training_task& task, const prepared_data& ready, resolved_run& run) {
  const train_options& options = run.options;
  const training_defaults& defaults = ready.defaults();
  const optimizer_start& state = options.initial_state;
  std::optional<double> given = options.step.initial ? options.step.initial : defaults.step;
  // Its sums have no meaning under another step.
  if (state.change && state.numbers.optimizer == optimizer_kind::ftrl) given = state.numbers.step;
  const bool search = !given && !run.resumed;
  const double initial = search ? find_step(task, {options.initial, state}, run.end_token()) : given.value_or(0.0);
  run.step_found = search && !agreement(run.ranks).any(run.end_token().stop_requested());
  run.step_is_guess = run.step_found && task.facts().unbounded_curvature;
  run.schedule = run.resumed ? schedule_of_checkpoint(run.resumed->state)
                             : schedule_from(options, defaults, task.facts().convex, initial, search);
  if (run.resumed) fill_decay(run.schedule, false);
}

}  // namespace

step_schedule schedule_from(const train_options& options, const training_defaults& defaults, bool convex,
                            double initial, bool found) {
  const step_options& step = options.step;
  schedule_kind kind = schedule_of(options, defaults);
  // The number of epochs to the optimum is unknown, so the step falls where progress ends.
  const bool usual = !step.kind && !step.decay && !defaults.step && kind == schedule_kind::geometric;
  if (usual && by_distance(options, convex)) kind = schedule_kind::plateau;
  step_schedule schedule{kind, initial, step.decay.value_or(0.0), options.epochs, step.warm_up};
  // A model that has a step of its own also defines its decay, whatever the step.
  if (defaults.step && !step.decay && schedule.kind == defaults.schedule) schedule.decay = defaults.decay.value_or(0.0);
  fill_decay(schedule, found);
  return schedule;
}

resolved_run begin_run(const prepared_task& task, std::shared_ptr<const time_limit> limit,
                       std::shared_ptr<const resumed_checkpoint> from) {
  const prepared_data& ready = task.data;
  resolved_run run{.options = ready.options(),
                   .l2 = ready.loop().l2,
                   .begun = ready.begun(),
                   .cpu_begun = ready.cpu_begun(),
                   .resumed = std::move(from),
                   .ranks = ready.ranks(),
                   .notes = ready.notes(),
                   .limit = std::move(limit)};
  const agreement ranks(run.ranks);
  run.all_nonzeros = static_cast<std::uint64_t>(ranks.sum(static_cast<double>(ready.train().nonzeros())));
  const std::string& resume = run.options.resume;
  if (!resume.empty()) run.resumed = std::make_shared<const resumed_checkpoint>(resume_of_rank(resume, ranks));
  const std::string& checkpoint = run.options.checkpoint;
  if (!checkpoint.empty()) require_checkpoint_place(checkpoint_of_rank(checkpoint, ranks));
  detail::require_granted_memory(*task.task, task.task->plan(), 1);  // the search for a step needs that much
  {
    const search_clock searching(run.search_seconds);
    find_schedule(*task.task, ready, run);
  }
  return run;
}

model_run::model_run(const prepared_task& ready, any_engine& engine, resolved_run begun)
    : run_(std::move(begun)), planner_(*ready.task, run_) {
  const training_task& task = *ready.task;
  planner_.agree_on_schedule();
  run_.options.record = written_by_rank(run_.options.record, planner_.ranks().rank());
  if (!run_.options.record.empty()) {
    record_ = make_record_observer(run_.options.record, task, run_);
    run_.options.observers.push_back(record_.get());
  }
  for (const std::string& sentence : notes_on_data(task, run_.options.data_name, planner_.ranks()))
    planner_.note(sentence);
  {
    const search_clock searching(run_.search_seconds);
    const std::size_t workers = engine.plan(planner_);
    run_.plan = task.plan(planner_.loop());
    detail::require_granted_memory(task, run_.plan, workers);
    planner_.note_idle_workers(workers, run_.plan);
  }
  started_ = engine.start_workers(task, run_.plan, [&](std::string_view sentence) { planner_.note(sentence); });
  epochs_.emplace(task, *started_, run_);
}

train_result run_training(const prepared_task& ready, any_engine& engine, const chosen_l2& chosen) {
  if (const agreement ranks(ready.data.ranks()); !ranks.alone()) engine.require_same_on(ranks);
  const train_options& options = ready.data.options();
  const bool by_folds = !chosen.tried.empty();
  resolved_run run =
      begin_run(ready, std::make_shared<const time_limit>(options.max_seconds,
                                                          by_folds ? chosen.begun : ready.data.begun(), options.stop));
  if (by_folds) {
    run.l2_tried = chosen.tried;
    run.search_seconds += std::chrono::duration<double>(run.begun - chosen.begun).count();
    run.begun = chosen.begun;
    run.cpu_begun = chosen.cpu_begun;
  }
  return model_run(ready, engine, std::move(run)).epochs().run();
}

}  // namespace hogwild
