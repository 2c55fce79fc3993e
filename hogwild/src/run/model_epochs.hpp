// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <hogwild/detail/run/divergence_guard.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/result.hpp>

#include "run/checkpoint_times.hpp"
#include "run/epoch_loop.hpp"
#include "run/epoch_meter.hpp"
#include "run/standstill_watch.hpp"
#include "run/unchanged_parameters.hpp"

namespace hogwild {

/// The epochs of one model's run. If a call throws, the engine's run then holds the last state.
class model_epochs final : public epoch_loop {
 public:
  /// All arguments outlive it; the engine's run was started with run.plan.
  model_epochs(const training_task& work, engine_run& who, resolved_run& run);

  void begin() override;
  train_result finish() override;
  bool has_broken_down() const override;

  /// Between epochs: the parameters to return at present, the mean if averaging has begun.
  std::vector<float> parameters() const;
  /// Between epochs: the state of the optimiser, if the run keeps it.
  optimizer_state state_of_now() const;
  /// Between epochs: the state to resume from. All ranks call it.
  checkpoint state();
  /// Sets the parameters, after the last epoch that is trained.
  void leave(const std::vector<float>& parameters);
  /// The lower bound of the objective; null unless a tolerance needs it.
  const optimum_bound* optimum() { return meter_.optimum(); }

 private:
  bool asked_to_stop() override;
  bool has_trained() const override { return progress_.epoch > 0 || ranks_.any(rows_here() > 0); }
  bool train_epoch(std::size_t e) override;
  bool is_due(std::size_t e) const override { return measured_epochs_.has(e); }
  conclusion conclude_epoch(std::size_t e, bool measures) override;
  bool are_unchanged() override { return unchanged_.asked() && !ranks_.any(!unchanged_.are_so(last_)); }
  bool tell_observers() override;
  std::optional<run_status> decide(std::uint64_t epochs) override;
  void save() override;
  void save_last() override;
  /// The exception destroys the store, so readers have to stop now.
  void fail() override { rounds_.live().end(); }

  /// If the run asks for it, rounds of the first epochs decide how many workers train. A checkpoint keeps the decision.
  void begin_trial();
  void train_rounds(std::size_t e);
  /// Cuts epochs into the rounds that observers ask for.
  void cut_epochs();
  bool tell_round(std::uint32_t round, double step);
  template <class F>
  void naming_the_checkpoint(const F& f) const;
  /// Rows that this process's workers have trained so far.
  std::uint64_t rows_here() const { return rows_trained(engine_run_.store().slots()); }
  /// Throws if no rank has trained a row in the epoch, whatever the cause. Some ranks may have no rows.
  void require_trained(std::size_t epoch, std::uint64_t rows) const;
  /// Whether the epoch is trained again, because its summed gains overshot. If the objective rises even with the most
  /// careful exchange, the step is too large for one worker as well. Then workers use the least frequent exchange that
  /// ended about as well, and no other epoch is turned back.
  bool turned_back(std::size_t e, double step);
  /// The step of the epoch that is trained next, or was trained and is not yet concluded.
  double step() const { return run_.schedule.at(progress_.epoch + 1) * progress_.rules.step_factor; }
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
  /// At the end, readers in other processes find the parameters that the run returns.
  void leave_to_readers();

  engine_run& engine_run_;
  const bool resumes_ = run_.resumed != nullptr;
  round_driver rounds_;
  epoch_meter meter_;
  const measured_epochs measured_epochs_{task_, run_};
  last_checkpoint last_checkpoint_{};
  bool measured_ = false;           ///< whether last_ is a measurement of this run
  std::size_t reported_epoch_ = 0;  ///< the last measured epoch, or the one that the run resumes from
  detail::rank_standstills standstills_{ranks_, options_};
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
  kept_parameters kept_;
  std::vector<float> measured_mean_{};  ///< the mean in kept_, with its best constant term
  run_course zeros_{};                  ///< of parameters of zeros, for models that do not begin with them
  double spread_of_mean_ = 0.0;         ///< of the rows' losses, if its objective is above the beginning, or zeros'
  std::optional<epoch_report> best_measured_;
};

}  // namespace hogwild
