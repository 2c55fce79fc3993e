// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include <hogwild/option_values.hpp>

namespace hogwild {

/// The step size of an epoch; constant inside it, except under `linear`. A `plateau` cannot be computed in advance: the
/// caller that measures the validation rows multiplies by the decays so far.
struct step_schedule {
  schedule_kind kind = schedule_kind::geometric;
  double initial = 0.1;
  double decay = 1.0;
  std::size_t epochs = 1;   ///< of the run; a cosine reaches its end with the last one
  std::size_t warm_up = 0;  ///< the first epochs, in which the step rises linearly; the schedule begins after them

  /// `e` counts from 1.
  double at(std::size_t e) const {
    if (e <= warm_up) return initial * static_cast<double>(e) / static_cast<double>(warm_up + 1);
    return after_warm_up(e - warm_up);
  }
  /// The step at the end of epoch e.
  double at_end(std::size_t e) const { return at(kind == schedule_kind::linear && e > warm_up ? e + 1 : e); }

 private:
  double after_warm_up(std::size_t e) const {
    const double before = static_cast<double>(e - 1);
    switch (kind) {
      case schedule_kind::geometric:
        return initial * std::pow(decay, before);
      case schedule_kind::inverse:
        return initial / (1.0 + decay * before);
      case schedule_kind::linear:
        return initial * std::max(1.0 - decay * before, 1e-4);
      case schedule_kind::cosine: {
        const double last = epochs > warm_up + 1 ? static_cast<double>(epochs - warm_up - 1) : 1.0;
        const double height = 0.5 * (1.0 + std::cos(std::numbers::pi * std::min(before / last, 1.0)));
        return initial * (decay + (1.0 - decay) * height);
      }
      case schedule_kind::plateau:
      case schedule_kind::constant:
        break;
    }
    return initial;
  }
};

}  // namespace hogwild
