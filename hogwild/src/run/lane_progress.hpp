// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <hogwild/detail/math/schedule.hpp>
#include <hogwild/detail/run/optimum_bound.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/task/loss_bound.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// Whether a linear model is measured after this epoch, if its workers do not overshoot.
inline bool is_measured(std::size_t epoch, const train_options& options) {
  return is_measured(epoch, options.measure_every.value_or(1), options.epochs);
}

/// The step of a model that is trained side by side with others, and the rules that end it.
struct lane_progress {
  step_schedule schedule{};
  stop_rules rules{};
  objective_fall fall{};
  std::optional<optimum_bound> optimum{};  ///< set if a tolerance needs it

  double step(std::size_t epoch) const { return schedule.at(epoch) * rules.step_factor; }

  /// What the epoch that was measured means for the model. `penalty`: of its l1 and l2, which the objective adds to the
  /// loss. A `bound` is made if the tolerance is a distance from the optimum; the loss is then the bound's.
  /// `epochs`: how many were trained since the last call.
  stop_rules::outcome after(epoch_report measured, double penalty, const std::optional<loss_bound>& bound, double l1,
                            double l2, thread_team& threads, const train_options& options, bool convex,
                            std::uint64_t epochs = 1) {
    if (bound) measured.train_loss = bound->loss;
    measured.objective = measured.train_loss + penalty;
    if (bound) {
      if (!optimum) optimum.emplace(l1, l2);
      optimum->take(*bound, threads);
      if (optimum->tells()) measured.gap = optimum->gap(measured.objective);
    }
    return rules.after(measured, fall, options, convex, schedule, epochs);
  }
};

}  // namespace hogwild
