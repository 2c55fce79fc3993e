// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/machine_speed.hpp>
#include <hogwild/detail/run/time_limit.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

class collective;
class run_notes;
struct resumed_checkpoint;

/// The options of a run after all open ones have been decided; the same for every engine.
struct resolved_run {
  train_options options;
  step_schedule schedule{};
  double l2 = 0.0;
  std::vector<tried_l2> l2_tried{};  ///< as train_result has it
  bool step_found = false;           ///< by a search
  bool step_is_guess = false;        ///< the step suits a sample of the rows, and may be too large for others
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();  ///< when train() was called
  std::chrono::nanoseconds cpu_begun{};                                            ///< the CPU time used by then
  double search_seconds = 0.0;                                                     ///< as train_result has it
  std::string sharing_reason{};                     ///< why workers read and write where they do
  std::optional<machine_speed> speed{};             ///< measured beforehand; empty unless the sharing depends on it
  bool tries_workers = false;                       ///< measured times decide how many workers train (worker_trial)
  std::function<double()> trial_clock{};            ///< by which they are measured; empty: that of the system
  std::optional<double> predicted_epoch_seconds{};  ///< by the rule that chose the sharing, if it predicts one
  loop_plan plan{};
  std::shared_ptr<const resumed_checkpoint> resumed{};  ///< the checkpoint to resume from, until it is in the store
  collective* ranks = nullptr;                          ///< the processes that train together; null: this one is alone
  std::uint64_t all_nonzeros = 0;                       ///< in the rows of all ranks
  std::size_t models = 1;                               ///< models that are trained and combined into one
  std::string combination{};                            ///< how they are combined, if there are several
  std::size_t workers_asked = 0;                        ///< as train_result has it
  std::shared_ptr<const run_notes> notes{};             ///< the notes so far
  std::shared_ptr<const time_limit> limit{};            ///< ends with train_options::stop, too; null: no limit

  bool time_is_over() const { return limit && limit->is_over(); }
  /// Requests the end of training and of trials: by train_options::stop, or because the time is over.
  std::stop_token end_token() const { return limit ? limit->token() : options.stop; }
};

/// Runs the epochs: trains, measures, tells the observers, decides whether to go on. Throws what the engine's run
/// throws; the engine run, which was started with run.plan, then holds the last state.
train_result train_epochs(const training_task& work, engine_run& who, resolved_run& run);

/// Calls f(observer) for every observer of the run.
template <class F>
void tell(const train_options& options, const F& f) {
  for (const observer_handle& o : options.observers) f(*o);
}

/// Calls f(observer) for every observer of the run; returns whether any asks to stop.
template <class F>
bool any_stops(const train_options& options, const F& f) {
  bool stop = false;
  tell(options, [&](observer& o) { stop = f(o) == observer_answer::stop || stop; });
  return stop;
}

}  // namespace hogwild
