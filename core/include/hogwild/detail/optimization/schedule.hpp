// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <hogwild/option_values.hpp>

namespace hogwild {

/// The step size of an epoch; constant inside it, but for `linear`.
struct step_schedule {
  schedule_kind kind = schedule_kind::geometric;
  double initial = 0.1;
  double decay = 1.0;

  /// `e` counts from 1.
  double at(std::size_t e) const {
    const double before = static_cast<double>(e - 1);
    switch (kind) {
      case schedule_kind::geometric:
        return initial * std::pow(decay, before);
      case schedule_kind::inverse:
        return initial / (1.0 + decay * before);
      case schedule_kind::linear:
        return initial * std::max(1.0 - decay * before, 1e-4);
      case schedule_kind::constant:
        break;
    }
    return initial;
  }
  /// Where epoch e ends.
  double at_end(std::size_t e) const { return at(kind == schedule_kind::linear ? e + 1 : e); }
};

}  // namespace hogwild
