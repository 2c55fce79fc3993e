// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/options/combinations.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild {

/// Further circumstances on which the choice of sharing depends.
struct sharing_surroundings {
  bool others = false;                          ///< other processes change the parameters, too
  double delay = 1.0;                           ///< exchange periods after which replicas see each other's gains
  storage_kind storage = storage_kind::single;  ///< of factors in replicas
};

/// How a step that was found for single rows changes if each step uses the mean over several rows.
struct step_scaling {
  double factor = 1.0;

  double of(double found) const { return found * factor; }
};

/// Passed to an engine's plan_sharing(): holds the decisions, and offers services of the coordinator. All ranks of a
/// run make the same calls.
class run_planner {
 public:
  /// Both arguments outlive it. Decisions about the step are written into `run`.
  run_planner(const training_task& task, resolved_run& run) : run_planner(task, run, task) {}
  /// For a task of several models: steps are tried on `one` of them, which outlives it, too.
  run_planner(const training_task& task, resolved_run& run, const training_task& one)
      : task_(task), one_(one), run_(run), loop_(task.options()) {}

  const training_task& task() const { return task_; }
  const train_options& options() const { return run_.options; }
  /// Requests the end of trials (resolved_run::end_token).
  std::stop_token end_token() const { return run_.end_token(); }
  agreement ranks() const { return agreement(run_.ranks); }
  /// The loop's options as decided so far; at first as they were asked for.
  loop_options& loop() { return loop_; }
  const loop_options& loop() const { return loop_; }
  double step() const { return run_.schedule.initial; }
  /// The options as a combination to check, under `by`. prepare() has checked what only the model's traits tell:
  /// whether it takes several examples at once, draws, or has l2 by occurrence.
  combination combined(trained_by by) const;
  bool step_found() const { return run_.step_found; }

  /// How many workers there will be: `asked` or, without a number, worker_count().
  std::size_t count_workers(std::optional<std::size_t> asked);
  /// The same, but no more than the thread library grants.
  std::size_t count_threads(std::optional<std::size_t> asked, thread_team_kind team);
  /// Why there are fewer workers than were asked for; empty if there are not.
  std::string why_fewer() const;

  /// Decides how `workers` share, as for threads on one machine (choose.hpp); returns how many of them train. Throws
  /// config_error if half storage is asked for and nothing can be stored as halves.
  std::size_t decide_sharing(std::size_t workers, const sharing_surroundings& around = {});
  /// From now on this replaces train_options::sharing.
  void ask_for(sharing_kind sharing) { run_.options.sharing = sharing; }
  /// Sets the reason for the sharing.
  void explain(std::string reason) { run_.sharing_reason = std::move(reason); }
  /// Throws config_error if the model keeps its step for a whole epoch, but the schedule lowers it within epochs.
  /// decide_sharing() calls it, and so do engines that decide by themselves, except all_reduce, whose gathered
  /// gradients take the step at each meeting.
  void require_step_of_epochs() const;
  /// Limits the batch to the rows that the step allows.
  void limit_batch();
  /// Scales a step that was found, or is the model's, and suits one row at a time, to the mean of `rows`, at least 1
  /// (step_factor).
  void scale_found_step(std::size_t rows);
  /// The scaling of a found step.
  step_scaling scaling() const { return scaling_; }
  /// Takes over the first rank's schedule, or exchange, if each rank has found its own: all ranks have to decide the
  /// same when gains overshoot.
  void agree_on_schedule();
  void agree_on_exchange();
  /// Upper bound of the curvature of the mean loss; 0 if it is unknown.
  double curvature();

  /// Passes a sentence on to the observers.
  void note(std::string_view sentence) const;
  /// Notes that fewer workers train than were asked for, and why.
  void note_idle_workers(std::size_t workers, const loop_plan& plan) const;

 private:
  void require_halves(std::size_t workers);
  std::size_t plan_virtual_workers(std::size_t workers);
  std::size_t choose_among(std::size_t workers, const sharing_surroundings& around);
  bool plan_in_blocks(std::size_t workers, const sharing_surroundings& around);

  const training_task& task_;
  const training_task& one_;
  resolved_run& run_;
  loop_options loop_;
  std::size_t asked_ = 0;  ///< workers that were asked for by number
  step_scaling scaling_{};
  std::optional<double> curvature_;
  std::vector<std::string> idle_reason_;  ///< why fewer workers train than were asked for
};

}  // namespace hogwild
