// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/result.hpp>

#include "run/checkpoint_times.hpp"
#include "run/report_teller.hpp"

namespace hogwild {

/// The epochs of a run of one model (model_epochs) or of several that are combined (several_run): when an epoch is
/// trained, measured, told to observers and written, and when the run ends. Calls come in the order
///
///   begin(); while (goes_on()) if (train()) conclude(); finish();
///
/// from one thread at a time; all ranks make the same. They throw what the engine throws.
class epoch_loop {
 public:
  virtual ~epoch_loop() = default;
  epoch_loop(const epoch_loop&) = delete;
  epoch_loop& operator=(const epoch_loop&) = delete;

  /// Sets the first parameters, which are those of a checkpoint if the run resumes, and tells the observers.
  virtual void begin() = 0;
  /// Whether there is an epoch left to train, and nothing has ended the run.
  bool goes_on() const { return !over_ && progress_.epoch < options_.epochs; }
  /// Trains the next epoch. False if a stop was requested, which ends the run.
  bool train();
  /// Measures the epoch that was trained, and decides what follows: the run may end, or turn back to train it again.
  /// `measured`: whether it is measured even if it were not due.
  void conclude(bool measured = false);
  /// The result. Nothing is called after it.
  virtual train_result finish() = 0;
  /// Makes all these calls. If one throws, observers hear of the failure.
  train_result run();

  /// Between epochs: the last measurement, and what the run has learned from all of them.
  const epoch_report& last() const { return last_; }
  const run_progress& progress() const { return progress_; }
  /// How the run ends, once it does not go on.
  run_status status() const { return result_.status; }

 protected:
  /// The outcome of an epoch that was trained.
  enum class conclusion {
    unmeasured,  ///< it is finished
    measured,    ///< it is finished, and last_ is its measurement
    again,       ///< it is trained again
    stopped      ///< a stop was requested before it was finished
  };
  static constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
  static epoch_report unmeasured() { return {.train_loss = no_number, .objective = no_number}; }

  /// All arguments outlive it. `models` as for report_teller.
  epoch_loop(const training_task& work, resolved_run& run, std::size_t models = 1);

  /// Whether a stop request, an observer or the time limit asks for the end, on any rank; sets stopped_by_.
  virtual bool asked_to_stop() = 0;
  /// Whether any row has been trained, on any rank.
  virtual bool has_trained() const = 0;
  /// Trains epoch e. False if it was asked to stop by then.
  virtual bool train_epoch(std::size_t e) = 0;
  /// Whether epoch e, which was trained, is one of those that are measured.
  virtual bool is_due(std::size_t e) const = 0;
  /// Whether any parameter is no longer a finite number, on any rank. An epoch that ends so is measured, so that the
  /// run turns back or ends: a checkpoint of it would take the place of one to resume from.
  virtual bool has_broken_down() const = 0;
  virtual conclusion conclude_epoch(std::size_t e, bool measures) = 0;
  /// Whether the epochs since the first one have changed no parameter, on any rank. Asked once.
  virtual bool are_unchanged() = 0;
  /// Tells the observers of last_; returns whether any of them asks to stop.
  virtual bool tell_observers() = 0;
  /// How the run ends with the epoch of last_, if it does; `epochs`: how many were trained since the one before.
  virtual std::optional<run_status> decide(std::uint64_t epochs) = 0;
  /// Writes a checkpoint.
  virtual void save() = 0;
  /// The same after the last epoch, if finish() does not do it.
  virtual void save_last() = 0;
  /// Something has thrown.
  virtual void fail() {}

  /// Ends the run with the parameters as they are. The report is that of the last measurement: measuring part of the
  /// rows would tell nothing, and measuring all would delay the stop.
  void stop();
  void note_answer(bool stop) { observer_stops_ = observer_stops_ || stop; }
  /// Since the run began, before a resume, too.
  double wall_seconds() const;
  /// Completes the result, and tells the observers.
  train_result end();

  const training_task& task_;
  resolved_run& run_;
  const train_options& options_;
  agreement ranks_;
  report_teller teller_;
  run_progress progress_{};
  epoch_report last_ = unmeasured();
  train_result result_{};
  checkpoint_times checkpoint_times_{options_, ranks_};
  bool observer_stops_ = false;  ///< an observer of this rank asked to stop
  stop_cause stopped_by_ = stop_cause::request;
  bool over_ = false;

 private:
  void report();
};

}  // namespace hogwild
