// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

#include <hogwild/detail/run/objective_fall.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// Decides after each epoch that is measured whether a run ends before its last epoch. Plain numbers, so that a
/// checkpoint can carry it.
struct stop_rules {
  double best_validation_loss = HUGE_VAL;
  double last_objective = HUGE_VAL;
  std::uint64_t epochs_without_better = 0;
  std::uint64_t flat_epochs = 0;

  /// How the run ends with this epoch, if it does; `improved` is set when the validation loss is the best so far.
  /// `fall` is what a tolerance is a fraction of, and `epochs` how many have been trained since the last call: each
  /// counts as their mean.
  std::optional<run_status> after(const epoch_report& epoch, const objective_fall& fall, const train_options& options,
                                  bool& improved, std::uint64_t epochs = 1) {
    improved = false;
    if (!std::isfinite(epoch.objective)) return run_status::diverged;
    if (options.target && reached(*options.target, epoch)) return run_status::target;
    if (epoch.validation) {
      improved = epoch.validation->loss < best_validation_loss;
      epochs_without_better = improved ? 0 : epochs_without_better + epochs;
      if (improved) best_validation_loss = epoch.validation->loss;
      if (epochs_without_better >= options.patience) return run_status::converged;
    }
    if (options.tolerance) {
      const double least = static_cast<double>(epochs) * *options.tolerance;
      flat_epochs = fall.flat(last_objective, epoch.objective, least) ? flat_epochs + epochs : 0;
      last_objective = epoch.objective;
      if (flat_epochs >= options.tolerance_epochs) return run_status::converged;
    }
    return std::nullopt;
  }

  static bool reached(const target_option& target, const epoch_report& epoch) {
    const auto at_most = [&](double x) { return x <= target.value; };
    const auto at_least = [&](const std::optional<double>& x) { return x && *x >= target.value; };
    const measurement test = epoch.test.value_or(measurement{.loss = HUGE_VAL});
    switch (target.what) {
      case metric::train_loss:
        return at_most(epoch.train_loss);
      case metric::objective:
        return at_most(epoch.objective);
      case metric::test_loss:
        return at_most(test.loss);
      case metric::test_accuracy:
        return at_least(test.accuracy);
      case metric::test_auc:
        return at_least(test.auc);
      case metric::test_f1:
        return at_least(test.f1);
      case metric::test_rmse:
        return test.rmse && at_most(*test.rmse);
      case metric::test_precision_at_1:
        return at_least(test.precision_at_1);
      case metric::test_precision_at_3:
        return at_least(test.precision_at_3);
      case metric::test_precision_at_5:
        return at_least(test.precision_at_5);
      case metric::test_micro_f1:
        return at_least(test.micro_f1);
      case metric::test_macro_f1:
        return at_least(test.macro_f1);
      case metric::test_cut:
        return test.cut && at_most(*test.cut);
    }
    return false;
  }
};

}  // namespace hogwild
