// SPDX-License-Identifier: Apache-2.0
#include <generate/column_popularity.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <hogwild/error.hpp>

namespace hogwild::generate {
namespace {

constexpr std::size_t slices = 1 << 16;

/// Columns of nearly the same popularity, so that sums over all columns stay cheap at any width.
struct band {
  double columns, weight;  ///< how many; popularity of one, relative to all
};

std::vector<band> bands_of(const options& o, double offset) {
  std::vector<band> bands;
  double total = 0.0;
  for (std::size_t first = 0; first < o.columns;) {
    const std::size_t last = std::min(o.columns, first + 1 + first / 64);
    const double middle = 0.5 * static_cast<double>(first + last - 1);
    bands.push_back({static_cast<double>(last - first), std::pow(middle + offset, -o.zipf)});
    total += bands.back().columns * bands.back().weight;
    first = last;
  }
  for (band& b : bands) b.weight /= total;
  return bands;
}

/// Drawing until a row has k distinct columns is the same as letting column i arrive at an exponential time of rate p_i
/// and stopping at the k-th arrival; so the expected number of distinct columns at time t is the sum of 1 - exp(-p_i
/// t).
double distinct_at(const std::vector<band>& bands, double t) {
  double sum = 0.0;
  for (const band& b : bands) sum -= b.columns * std::expm1(-b.weight * t);
  return sum;
}

double time_until(const std::vector<band>& bands, double distinct) {
  double low = 0.0, high = distinct;
  while (distinct_at(bands, high) < distinct) low = high, high *= 2.0;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (distinct_at(bands, middle) < distinct ? low : high) = middle;
  }
  return high;
}

/// Share of rows with the commonest column, averaged over seven row lengths that stand for the log-normal ones: the
/// nodes and weights of Gauss-Hermite integration.
double commonest_fraction(const options& o, double offset) {
  constexpr double node[] = {0.0, 1.154405394739968, 2.366759410734541, 3.750439717725742};
  constexpr double weight[] = {0.4571428571428571, 0.2401231786050127, 0.0307571239675865, 0.0005482688559722};
  const std::vector<band> bands = bands_of(o, offset);
  const double median = o.nonzeros * std::exp(-0.5 * o.length_spread * o.length_spread);
  double fraction = 0.0;
  for (int k = -3; k <= 3; ++k) {
    const double z = k < 0 ? -node[-k] : node[k];
    const double length = std::clamp(median * std::exp(o.length_spread * z), 1.0, 0.5 * static_cast<double>(o.columns));
    fraction -= weight[std::abs(k)] * std::expm1(-bands.front().weight * time_until(bands, length));
  }
  return fraction;
}

double find_offset(const options& o) {
  double low = std::log(1e-3), high = std::log(1e3 * static_cast<double>(o.columns));
  const double most = commonest_fraction(o, std::exp(low)), least = commonest_fraction(o, std::exp(high));
  if (o.delta < least || o.delta > most) {
    throw config_error("delta " + std::to_string(o.delta) + " is not possible with " + std::to_string(o.columns) +
                       " columns and " + std::to_string(o.nonzeros) + " nonzeros a row: choose one between " +
                       std::to_string(least) + " and " + std::to_string(most));
  }
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (commonest_fraction(o, std::exp(middle)) > o.delta ? low : high) = middle;
  }
  return std::exp(high);
}

}  // namespace

column_popularity::column_popularity(const options& o) : cumulative_(o.columns), guide_(slices + 1) {
  const double offset = find_offset(o);
  double sum = 0.0;
  for (std::size_t i = 0; i < o.columns; ++i) {
    sum += std::pow(static_cast<double>(i) + offset, -o.zipf);
    cumulative_[i] = sum;
  }
  for (double& c : cumulative_) c /= sum;
  std::size_t i = 0;
  for (std::size_t s = 0; s <= slices; ++s) {
    while (i + 1 < o.columns && cumulative_[i] <= static_cast<double>(s) / slices) ++i;
    guide_[s] = static_cast<std::uint32_t>(i);
  }
  draws_ = time_until(bands_of(o, offset), o.nonzeros);
}

std::size_t column_popularity::position(double uniform) const {
  const auto slice = static_cast<std::size_t>(uniform * slices);
  const auto from = cumulative_.begin() + guide_[slice], to = cumulative_.begin() + guide_[slice + 1];
  return static_cast<std::size_t>(std::upper_bound(from, to, uniform) - cumulative_.begin());
}

double column_popularity::fraction(std::size_t position) const {
  const double p = cumulative_[position] - (position == 0 ? 0.0 : cumulative_[position - 1]);
  return -std::expm1(-p * draws_);
}

}  // namespace hogwild::generate
