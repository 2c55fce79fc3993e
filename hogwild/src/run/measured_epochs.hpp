// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>

#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/task/training_task.hpp>

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
    return e % every_ == 0 || early || e == last_;
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

}  // namespace hogwild
