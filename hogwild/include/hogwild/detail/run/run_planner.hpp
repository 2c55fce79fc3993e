// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/run/agreement.hpp>
#include <hogwild/detail/run/epoch_loop.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// What else the sharing depends on that is chosen for workers.
struct sharing_surroundings {
  bool others = false;                          ///< other processes change the parameters, too
  double delay = 1.0;                           ///< periods for which replicas may gain before they hear of each other
  storage_kind storage = storage_kind::single;  ///< of factors in replicas
};

/// What becomes of a step that was found for rows one by one where their mean makes a step.
struct step_scaling {
  double factor = 1.0;

  double of(double found) const { return found * factor; }
};

/// What an engine decides in plan_sharing(), and the services of the coordinator that it may use for that. All ranks
/// of a run make the same calls.
class run_planner {
 public:
  /// Both outlive it. What is decided about the step is written into `run`.
  run_planner(const training_task& task, resolved_run& run) : run_planner(task, run, task) {}
  /// Of a task of several models, steps are tried by `one` of them, which outlives it, too.
  run_planner(const training_task& task, resolved_run& run, const training_task& one)
      : task_(task), one_(one), run_(run), loop_(task.options()) {}

  const training_task& task() const { return task_; }
  const train_options& options() const { return run_.options; }
  /// Asks for the end of whatever is tried (resolved_run::end_token).
  std::stop_token end_token() const { return run_.end_token(); }
  agreement ranks() const { return agreement(run_.ranks); }
  /// The loop's options as decided so far; at first, as they were asked for.
  loop_options& loop() { return loop_; }
  const loop_options& loop() const { return loop_; }
  double step() const { return run_.schedule.initial; }
  bool step_found() const { return run_.step_found; }

  /// How many workers there will be: `asked` or, without a number, as worker_count says.
  std::size_t count_workers(std::optional<std::size_t> asked);
  /// The same, but no more than the library grants.
  std::size_t count_threads(std::optional<std::size_t> asked, thread_team_kind team);
  /// Why they are fewer than were asked for; empty where they are not.
  std::string why_fewer() const;

  /// Decides how `workers` share, as for threads on one machine (choose.hpp); returns how many of them train. Throws
  /// config_error where half storage is asked for and there is nothing to store so.
  std::size_t decide_sharing(std::size_t workers, const sharing_surroundings& around = {});
  /// From here on train_options::sharing counts as this.
  void ask_for(sharing_kind sharing) { run_.options.sharing = sharing; }
  /// Why workers read and write where they do.
  void explain(std::string reason) { run_.sharing_reason = std::move(reason); }
  /// Throws config_error where the step of a model that keeps it for an epoch would fall within one. All engines call
  /// it but all_reduce, whose gathered gradients take it at each meeting; decide_sharing() does.
  void require_step_of_epochs() const;
  /// No more rows see the same weights than the step allows.
  void limit_batch();
  /// A found step suits one row at a time; this makes it suit the mean of `rows`, at least 1 (step_factor).
  void scale_found_step(std::size_t rows);
  /// What that makes of any step that was found.
  step_scaling scaling() const { return scaling_; }
  /// Takes the first rank's schedule and exchange where each has found its own: all have to come to the same decisions
  /// when gains overshoot.
  void agree_on_schedule();
  void agree_on_exchange();
  /// Of the mean loss, at most; 0 where the data do not tell.
  double curvature();

  /// Passes a sentence on to the observers.
  void note(std::string_view sentence) const;
  /// Notes where fewer train than were asked for, and why.
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
  std::size_t asked_ = 0;  ///< workers, by number
  step_scaling scaling_{};
  std::optional<double> curvature_;
  std::vector<std::string> idle_reason_;  ///< why fewer workers train than were asked for
};

}  // namespace hogwild
