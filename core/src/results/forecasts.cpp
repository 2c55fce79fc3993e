// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/forecasts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <hogwild/detail/results/metrics.hpp>

namespace hogwild {
namespace {

/// The mean of value(row) over the rows.
template <class Value>
double mean_of(const forecasts& of, std::span<const float> weights, const Value& value) {
  double sum = 0, all = 0;
  for (std::size_t r = 0; r < of.rows(); ++r) {
    const double weight = weight_of(weights, r);
    sum += weight * value(r);
    all += weight;
  }
  return fraction(sum, all);
}

}  // namespace

void forecasts::set(std::size_t row, std::span<const double> probabilities, float label) {
  if (probabilities.size() == 1) {
    const double p = probabilities.front();
    const bool larger = label > 0.0f;
    confidence_[row] = p;
    came_[row] = larger ? 1 : 0;
    of_label_[row] = larger ? p : 1.0 - p;
    squared_[row] = (1.0 - of_label_[row]) * (1.0 - of_label_[row]);
    return;
  }
  const auto own = static_cast<std::size_t>(label);
  const auto best = static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
  confidence_[row] = probabilities[best];
  came_[row] = best == own ? 1 : 0;
  of_label_[row] = probabilities[own];
  double sum = 0;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    const double difference = probabilities[k] - (k == own ? 1.0 : 0.0);
    sum += difference * difference;
  }
  squared_[row] = sum;
}

forecasts forecasts::of(std::span<const std::size_t> rows) const {
  forecasts part(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    part.confidence_[k] = confidence_[rows[k]];
    part.of_label_[k] = of_label_[rows[k]];
    part.squared_[k] = squared_[rows[k]];
    part.came_[k] = came_[rows[k]];
  }
  return part;
}

double log_loss(const forecasts& of, std::span<const float> weights) {
  constexpr double least = std::numeric_limits<double>::epsilon();
  return mean_of(of, weights, [&](std::size_t r) { return -std::log(std::clamp(of.of_label()[r], least, 1 - least)); });
}

double brier_score(const forecasts& of, std::span<const float> weights) {
  return mean_of(of, weights, [&](std::size_t r) { return of.squared()[r]; });
}

std::array<reliability_bin, reliability_bins> reliability(const forecasts& of, std::span<const float> weights) {
  std::array<reliability_bin, reliability_bins> bins{};
  for (std::size_t r = 0; r < of.rows(); ++r) {
    const double p = of.confidence()[r], weight = weight_of(weights, r);
    const double place = std::clamp(p * static_cast<double>(bins.size()), 0.0, static_cast<double>(bins.size() - 1));
    reliability_bin& bin = bins[static_cast<std::size_t>(place)];
    bin.weight += weight;
    bin.confidence += weight * p;
    bin.came += of.came(r) ? weight : 0.0;
  }
  for (reliability_bin& bin : bins) {
    bin.confidence = fraction(bin.confidence, bin.weight);
    bin.came = fraction(bin.came, bin.weight);
  }
  return bins;
}

double expected_calibration_error(const forecasts& of, std::span<const float> weights) {
  double sum = 0, all = 0;
  for (const reliability_bin& bin : reliability(of, weights)) {
    sum += bin.weight * std::abs(bin.came - bin.confidence);
    all += bin.weight;
  }
  return fraction(sum, all);
}

}  // namespace hogwild
