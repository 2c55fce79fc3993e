// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What programs say of themselves, read from their output.

namespace hogwild::bench {

/// A line of the measuring stick's table.
struct stick_figures {
  double epoch_seconds = 0.0, best_epoch_seconds = 0.0, objective = 0.0, test_accuracy = 0.0;
};
/// The line of the configuration `name`. Throws input_error where there is none.
stick_figures read_stick(const std::string& output, const std::string& name);

/// What Hazy's svm tells: a line an epoch, of "key: value" pairs.
struct hazy_figures {
  std::vector<double> epoch_seconds{};    ///< training passes
  std::optional<double> objective_sum{};  ///< of the last epoch: sum of hinge losses + 1/2 |w|^2
  std::optional<double> test_accuracy{};  ///< of the last epoch
};
/// Throws input_error where no epoch is told.
hazy_figures read_hazy(const std::string& output);

/// A number for a command line, in full precision.
std::string written(double x);

}  // namespace hogwild::bench
