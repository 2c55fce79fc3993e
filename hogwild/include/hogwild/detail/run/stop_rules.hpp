// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <hogwild/detail/math/schedule.hpp>
#include <hogwild/error.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

// The rules that end a run before its last epoch, for runs of all kinds: of one model, of several side by side, of each
// fold.

namespace hogwild {

/// How far a run's objective has fallen: every rule measures rises and falls relative to this, because an objective may
/// be negative, and a constant added to the loss of every row must not change decisions. (Such a constant costs digits:
/// differences below the rounding of the sums decide nothing.)
struct objective_fall {
  double start = HUGE_VAL;  ///< the objective of the model's initial parameters; not finite: not measured

  /// The fall from the start to `objective`; 0 if it is not below the start, or there is no start.
  double down_to(double objective) const { return std::isfinite(start) ? std::max(start - objective, 0.0) : 0.0; }

  /// Whether an epoch from `before` to `after` gave back more than `fraction` of the gain before it. A value that is
  /// not a number is worse than any.
  bool given_back(double before, double after, double fraction) const {
    return !(after <= before + fraction * down_to(before));
  }

  /// Whether an epoch from `before` to `after` gained no more than `fraction` of the total gain including its own.
  bool flat(double before, double after, double fraction) const { return before - after <= fraction * down_to(after); }
};

/// Whether a run of so many epochs that is measured after every `every` of them is measured after this one.
constexpr bool is_measured(std::size_t epoch, std::size_t every, std::size_t epochs) {
  return epoch % every == 0 || epoch == epochs;
}

/// Whether there are validation rows, or some are to be held back.
inline bool validates(const train_options& o) {
  return o.validation || o.validation_fraction > 0.0;
}

/// Whether a tolerance is a distance from the optimum (epoch_report::gap): true for a convex model, unless epochs
/// without progress are asked for, validation rows decide which epoch is best, or columns have l2 of different strength
/// (optimum_bound knows one). Otherwise a tolerance is the least gain of an epoch.
inline bool by_distance(const train_options& o, bool convex) {
  return convex && o.tolerance > 0.0 && !o.tolerance_epochs && !validates(o) && o.form != l2_form::per_occurrence;
}
/// Whether a tolerance is about progress, which is measured by how far the objective has fallen.
inline bool by_progress(const train_options& o, bool convex) {
  return o.tolerance && !by_distance(o, convex);
}

/// Decides after each measured epoch whether a run ends before its last epoch. Plain numbers, so that a checkpoint can
/// hold it.
struct stop_rules {
  double best_validation = HUGE_VAL;  ///< compared_value() by train_options::stop_by
  double last_objective = HUGE_VAL;
  std::uint64_t epochs_without_better = 0;
  std::uint64_t flat_epochs = 0;
  double best_objective = HUGE_VAL;  ///< if the tolerance is a distance from the optimum, so far
  double lower_bound = -HUGE_VAL;    ///< of the objective
  double step_factor = 1.0;          ///< lowered by a plateau schedule, and where an epoch is turned back for its step

  /// The consequences of an epoch for the run.
  struct outcome {
    std::optional<run_status> ended{};  ///< how the run ends with this epoch, if it does
    bool best = false;                  ///< its parameters are the best so far, and those to return
  };

  /// `fall` is the scale of progress, and `epochs` how many have been trained since the last call; each of them counts
  /// as if it had made the mean progress. `convex`: whether the model is convex (task_facts::convex). A plateau
  /// `schedule` lowers the step. The validation rows decide which epoch is best, or the objective if the tolerance is
  /// a distance from the optimum; without either, no epoch is. Throws config_error if the validation rows do not have
  /// the measure to stop by.
  outcome after(const epoch_report& epoch, const objective_fall& fall, const train_options& options, bool convex,
                const step_schedule& schedule, std::uint64_t epochs = 1) {
    outcome said;
    if (!std::isfinite(epoch.objective)) return {.ended = run_status::diverged};
    bool stalls = by_distance(options, convex) && epoch.objective >= last_objective;
    const double before = std::exchange(last_objective, epoch.objective);
    if (epoch.validation) {
      const std::optional<double> value = compared_value(*epoch.validation, options.stop_by);
      if (!value)
        throw config_error("the validation rows do not have " + options.stop_by +
                           ", by which the run is to stop: give other rows, or another measure");
      said.best = *value < best_validation - options.min_delta;
      stalls = !said.best;
      epochs_without_better = said.best ? 0 : epochs_without_better + epochs;
      if (said.best) best_validation = *value;
    }
    if (by_distance(options, convex)) {
      if (epoch.gap) lower_bound = std::fmax(lower_bound, epoch.objective - *epoch.gap * std::abs(epoch.objective));
      said.best = epoch.objective < best_objective;
      best_objective = std::fmin(best_objective, epoch.objective);
    } else if (options.tolerance) {
      const double least = static_cast<double>(epochs) * *options.tolerance;
      flat_epochs = fall.flat(before, epoch.objective, least) ? flat_epochs + epochs : 0;
    }
    if (schedule.kind == schedule_kind::plateau && epoch.epoch > schedule.warm_up) {
      // Each epoch without a stall raises the step a little: otherwise noise, which makes an epoch stall by chance,
      // would drive the step to nothing.
      constexpr double regained = 1.05;
      if (stalls)
        step_factor *= schedule.decay;
      else if (by_distance(options, convex))
        step_factor = std::fmin(regained * step_factor, 1.0);
    }
    said.ended = how_ended(epoch, options, convex);
    return said;
  }

  /// The gap of the parameters that are returned: the best epoch's, if there is one.
  double gap_of(double objective) const {
    return objective > lower_bound ? (objective - lower_bound) / std::abs(objective) : 0.0;
  }

  static bool reached(const target_option& target, const epoch_report& epoch) {
    const auto figure = target_figure::named(target.what);
    return figure && figure->reached(epoch, target.value);
  }

 private:
  std::optional<run_status> how_ended(const epoch_report& epoch, const train_options& options, bool convex) const {
    if (options.target && reached(*options.target, epoch)) return run_status::target;
    if (by_distance(options, convex) && gap_of(best_objective) <= *options.tolerance) return run_status::converged;
    constexpr std::size_t flat_ones = 2;
    constexpr double least_step = 1e-6;  // relative to the first step; a smaller step changes nothing any more
    const bool flat = flat_epochs >= options.tolerance_epochs.value_or(flat_ones) ||
                      (by_distance(options, convex) && step_factor < least_step);
    if (epochs_without_better >= options.patience || flat) return run_status::no_progress;
    return std::nullopt;
  }
};

}  // namespace hogwild
