// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/run/divergence_guard.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/result.hpp>

#include "run/checkpoint_times.hpp"
#include "run/epoch_meter.hpp"
#include "run/report_teller.hpp"
#include "run/standstill_watch.hpp"
#include "run/unchanged_parameters.hpp"

namespace hogwild {

/// The epochs of one model's run: trains, measures, tells the observers, decides whether to go on. Calls come in the
/// order
///
///   begin(); while (goes_on()) if (train()) conclude(); finish();
///
/// from one thread at a time. They throw what the engine's run throws, which then holds the last state.
class epoch_loop {
 public:
  /// All arguments outlive it; the engine's run was started with run.plan.
  epoch_loop(const training_task& work, engine_run& who, resolved_run& run);
  epoch_loop(const epoch_loop&) = delete;
  epoch_loop& operator=(const epoch_loop&) = delete;

  /// Sets the first parameters, which are those of a checkpoint if the run resumes, and tells the observers.
  void begin();
  /// Whether there is an epoch left to train, and nothing has ended the run.
  bool goes_on() const { return !over_ && progress_.epoch < options_.epochs; }
  /// Trains the next epoch. False if a stop was requested, which ends the run.
  bool train();
  /// Measures the epoch that was trained, and decides what follows: the run may end, or turn back to train it again.
  /// `measured`: whether it is measured even if it were not by measured_epochs.
  void conclude(bool measured = false);
  /// The result. Nothing is called after it.
  train_result finish();
  /// Makes all these calls. If one throws, observers hear of the failure, and readers of the store stop.
  train_result run();

  /// Between epochs: the last measurement, and what the run has learned from all of them.
  const epoch_report& last() const { return last_; }
  const run_progress& progress() const { return progress_; }
  /// How the run ends, once it does not go on.
  run_status status() const { return result_.status; }
  /// Between epochs: the parameters to return at present, the mean if averaging has begun.
  std::vector<float> parameters() const;
  /// Whether any parameter is no longer a finite number, on any rank. An epoch that ends so is measured, so that the
  /// run turns back or ends: a checkpoint of it would take the place of one to resume from.
  bool has_broken_down() const;
  /// Between epochs: the state to resume from. All ranks call it.
  checkpoint state();
  /// Sets the parameters, after the last epoch that is trained.
  void leave(const std::vector<float>& parameters);
  /// The lower bound of the objective; null unless a tolerance needs it.
  const optimum_bound* optimum() { return meter_.optimum(); }

 private:
  void train_epoch(std::size_t e, double step);
  /// Cuts epochs into the rounds that observers ask for.
  void cut_epochs();
  bool tell_round(std::uint32_t round, double step);
  template <class F>
  void naming_the_checkpoint(const F& f) const;
  /// Rows that this process's workers have trained so far.
  std::uint64_t rows_here() const { return rows_trained(engine_run_.store().slots()); }
  /// Throws if no rank has trained a row in the epoch, whatever the cause. Some ranks may have no rows.
  void require_trained(std::size_t epoch, std::uint64_t rows) const;
  /// Whether a stop request, an observer or the time limit asks for the end, on any rank.
  bool asked_to_stop();
  void note_answer(bool stop) { observer_stops_ = observer_stops_ || stop; }
  /// Ends the run with the parameters as they are. The report is that of the last measurement: measuring part of the
  /// rows would tell nothing, and measuring all would delay the stop. A run whose time is over is measured once more.
  void stop();
  /// Whether the epoch is trained again, because its summed gains overshot. If the objective rises even with the most
  /// careful exchange, the step is too large for one worker as well. Then workers use the least frequent exchange that
  /// ended about as well, and no other epoch is turned back.
  bool turned_back(std::size_t e, double step);
  /// The step of the epoch that is trained next, or was trained and is not yet concluded.
  double step() const { return run_.schedule.at(progress_.epoch + 1) * progress_.rules.step_factor; }
  /// Tells the observers of a measured epoch, and decides whether the run ends with it.
  void report();
  /// Whether the run, if it ended now, would be worse than its beginning.
  bool is_worse_than_begun() const;
  double spread_of_last() const;
  void compare_with_zeros();
  void end_as_diverged();
  void announce();
  /// False if the run is to stop before all rows have been measured.
  bool measure(std::size_t epoch, double step, double wall_seconds,
               epoch_meter::state of = epoch_meter::state::trained);
  /// Adds the finished epoch to the mean; returns whether the mean is now over several epochs.
  bool average();
  /// Measures the mean in place of the trained parameters, which are then restored.
  bool measure_mean();
  /// Whether any rule of this run needs to know how far the objective has fallen or risen.
  bool checks_falls() const;
  /// Whether training begins with the model's initial parameters.
  bool begins_anew() const { return !options_.initial && !resumes_; }
  /// The objective from which progress counts: a checkpoint has it, or it is measured here, before a checkpoint or a
  /// warm start replaces the initial parameters.
  objective_fall begin_fall();
  /// Whether the last epoch left the objective worse than a sound epoch does.
  bool rose_too_far() const;
  void resume();
  void save();
  /// At the end, readers in other processes find the parameters that the run returns.
  void leave_to_readers();

  const training_task& task_;
  engine_run& engine_run_;
  resolved_run& run_;
  const train_options& options_;
  const bool resumes_ = run_.resumed != nullptr;
  agreement ranks_;
  round_driver rounds_;
  epoch_meter meter_;
  report_teller teller_;
  const measured_epochs measured_epochs_{task_, run_};
  run_progress progress_{};
  epoch_report last_;
  last_checkpoint last_checkpoint_{};
  std::size_t reported_epoch_ = 0;  ///< the last measured epoch, or the one that the run resumes from
  std::size_t measured_epoch_ = 0;  ///< the last measured epoch, before a resume, too
  bool measured_ = false;           ///< whether last_ is a measurement of this run
  bool observer_stops_ = false;     ///< an observer of this rank asked to stop
  stop_cause stopped_by_ = stop_cause::request;
  detail::rank_standstills standstills_{ranks_, options_};
  checkpoint_times checkpoint_times_{options_, ranks_};
  std::chrono::steady_clock::time_point training_since_{};  ///< of the time that is not yet in the training seconds
  double objective_before_ = 0.0;
  const bool compares_ends_ = !task_.facts().non_monotone;  ///< its end and beginning; other models may end higher
  unchanged_parameters unchanged_{task_, engine_run_};
  struct one_try {
    round_driver::pace pace;
    double objective;
  };
  std::vector<one_try> tries_;               ///< of the current epoch
  std::optional<divergence_guard> guard_{};  ///< for the epochs since the last measurement
  std::optional<stop_relay> relay_{};        ///< once training has begun
  bool over_ = false;
  kept_parameters kept_;
  std::vector<float> measured_mean_{};  ///< the mean in kept_, with its best constant term
  run_course zeros_{};                  ///< of parameters of zeros, for models that do not begin with them
  double spread_of_mean_ = 0.0;         ///< of the rows' losses, if its objective is above the beginning, or zeros'
  std::optional<epoch_report> best_measured_;
  train_result result_{};
};

}  // namespace hogwild
