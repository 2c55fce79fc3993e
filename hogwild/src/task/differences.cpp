// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/differences.hpp>

#include <algorithm>
#include <cmath>

#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {
namespace {

/// Losses are sums of floats: the rounding error of a loss of 1.
constexpr double rounding = 0x1p-19;

}  // namespace

std::vector<std::size_t> spread(std::size_t n, std::size_t most) {
  std::vector<std::size_t> all(std::min(n, most));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i * n / all.size();
  return all;
}

bool suits(double partial, const loss_around& loss, double tolerance) {
  const double right = (loss.above - loss.here) / loss.up, left = (loss.here - loss.below) / loss.down;
  const double slack = tolerance * std::max({std::abs(partial), std::abs(left), std::abs(right)}) +
                       rounding * (1.0 + std::abs(loss.here)) / std::min(loss.up, loss.down);
  // Written so that a NaN does not suit.
  return partial >= std::min(left, right) - slack && partial <= std::max(left, right) + slack;
}

std::string partial_sentence(std::size_t row, const partial_fault& fault, std::span<const parameter_group> groups) {
  std::string where;
  for (const parameter_group& g : groups)
    if (fault.coordinate >= g.offset && fault.coordinate - g.offset < g.rows * g.width)
      where = " (row " + std::to_string((fault.coordinate - g.offset) / g.width) + " of the group '" +
              std::string(g.name) + "')";
  return "row " + std::to_string(row) + ": the model emits " + to_short_text(fault.emitted) + " for parameter " +
         std::to_string(fault.coordinate) + where + ", but the loss rises by " + to_short_text(fault.expected) +
         " a unit of it";
}

std::string derivative_sentence(std::size_t row, const partial_fault& fault, float margin, float label) {
  return "row " + std::to_string(row) + ": the derivative at the margin " + to_short_text(static_cast<double>(margin)) +
         " and the label " + to_short_text(static_cast<double>(label)) + " is " + to_short_text(fault.emitted) +
         ", but the loss rises by " + to_short_text(fault.expected) + " a unit of the margin";
}

void refuse_parameters(std::size_t given, std::size_t has) {
  throw config_error(std::to_string(given) + " parameters were given, but the model has " + std::to_string(has));
}

}  // namespace hogwild::detail
