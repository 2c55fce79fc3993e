// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/optimum_bound.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// Decides which epochs of a run end with a measurement.
class measured_epochs {
 public:
  measured_epochs(const training_task& work, const resolved_run& run)
      : monotone_(!work.facts().non_monotone),
        may_overshoot_(run.plan.options.exchange.workers > 1 || run.step_is_guess),
        last_(run.options.epochs),
        every_(by_rule(run.options)) {}

  /// Epochs from one measurement to the next.
  std::size_t every() const { return every_; }
  /// Whether epoch e ends with a measurement. Workers' gains overshoot in the first epochs, if at all.
  bool has(std::size_t e) const {
    const bool early = may_overshoot_ && monotone_ && e < every_ && std::has_single_bit(e);
    return early || is_measured(e, every_, last_);
  }

 private:
  /// Measuring a cut reads every edge, as training does.
  std::size_t by_rule(const train_options& options) const {
    constexpr std::size_t cuts = 20;
    if (monotone_ && may_overshoot_ && options.average) return 1;  // an average cannot be undone
    const bool each = options.target || options.tolerance || options.validation || monotone_;
    return options.measure_every.value_or(each ? 1 : cuts);
  }

  bool monotone_, may_overshoot_;
  std::size_t last_, every_;
};

/// Measures an epoch: the workers' counts and the quality of the model, over all ranks. Called at a gate, while nobody
/// trains.
class epoch_meter {
 public:
  /// All arguments must outlive the meter.
  epoch_meter(const training_task& work, engine_run& who, const resolved_run& run);

  /// The parameters that are measured. For a linear model that was trained, the constant term is first moved to where
  /// the loss is least.
  enum class state {
    trained,  ///< by an epoch
    kept,     ///< of an earlier epoch
    begun     ///< before the first epoch: training rows only
  };

  /// `before` has the sums of earlier runs and the counts that workers do not keep; `scale` is that of the stored
  /// weights. All ranks call it, and get the same losses and counts. Nothing if the run was asked to stop before all
  /// rows were measured, on any rank, or if its time was over before the first epoch.
  std::optional<epoch_report> measure(const run_progress& before, double scale, std::size_t epoch, double step,
                                      double wall_seconds, state of = state::trained);
  /// Moves only the constant term; returns the loss of this process's rows at that point, if the term may move. All
  /// ranks call it.
  std::optional<double> minimise_constant(double scale, state of);
  /// The bound of the optimum, if a tolerance needs it; else null.
  optimum_bound* optimum() { return optimum_ ? &*optimum_ : nullptr; }
  /// Of how many lists an epoch's measures are, at most: those of models that order candidates.
  std::size_t lists_after(std::size_t epoch) const;
  /// Measures test and validation rows of the report once more, all of their lists. All ranks call it.
  void measure_all_lists(double scale, epoch_report& report) const;
  /// Only the counts. All ranks call it.
  epoch_report count(const run_progress& before, std::size_t epoch, double step, double wall_seconds);

  /// Standard deviation of the rows' losses around their mean, estimated from a few rows of each rank: a constant added
  /// to all losses does not change it. All ranks call it, and get the same.
  double deviation_of_losses(double scale, double mean) const;
  /// The largest distance from the median over three quarters of the losses, estimated likewise; the mean over the
  /// ranks.
  double spread_of_losses(double scale) const;
  /// The mean loss of a few rows of all ranks under parameters of zeros, which the store has before training_task's
  /// begin(); no number if a stop is requested meanwhile. All ranks call it.
  double loss_of_zeros() const;

 private:
  /// The time limit ends measuring only before the first epoch: a model that was trained is measured.
  std::stop_token stop(state of) const { return of == state::begun ? run_.end_token() : run_.options.stop; }
  double loss_of_row(double scale, std::size_t row) const;
  void agree_on_losses(epoch_report& report) const;
  void tell_gap(const loss_bound& bound, epoch_report& report);
  /// The penalty of regularisation, which the objective adds to the training loss.
  double penalty(double scale) const;

  const training_task& task_;
  engine_run& engine_run_;
  const resolved_run& run_;
  /// For single rows: waking a team would take longer.
  std::unique_ptr<thread_team> alone_ = thread_team::make(thread_team_kind::std, 1, false);
  agreement ranks_;
  std::optional<optimum_bound> optimum_{};
};

}  // namespace hogwild
