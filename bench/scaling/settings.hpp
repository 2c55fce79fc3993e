// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace hogwild::bench {

/// The options that the serial reference settled on for a model, and what it reached with them.
struct model_settings {
  std::string model{};
  double step = 0.0, decay = 1.0, l2 = 0.0, objective = 0.0;
  std::optional<double> test_accuracy{};
};

}  // namespace hogwild::bench
