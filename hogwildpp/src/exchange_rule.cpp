// SPDX-License-Identifier: Apache-2.0
#include <hogwildpp/detail/exchange_rule.hpp>

#include <cmath>

namespace hogwild {

released_weights released_weights_of(std::size_t replicas) {
  if (replicas < 2) return {};
  const double power = static_cast<double>(replicas);
  // beta^K + beta rises with beta: below 1 at 1/2, above 1 at 1.
  double low = 0.5, high = 1.0;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (std::pow(middle, power) + middle < 1.0 ? low : high) = middle;
  }
  return {.beta = high, .lambda = 1.0 - std::pow(high, power - 1.0)};
}

}  // namespace hogwild
