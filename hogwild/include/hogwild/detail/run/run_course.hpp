// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <hogwild/detail/platform/number_text.hpp>

namespace hogwild {

/// The course of a run's objective, to compare its end with its beginning: a blow-up may be finite, and a run that ends
/// worse than it began has diverged, whatever number it ends with. It has plain numbers, so that a checkpoint can store
/// it: a resumed run is compared with the beginning of its first part.
struct run_course {
  /// A rise of the objective is more than noise if it exceeds this fraction of the spread of the rows' losses at the
  /// end. A model that wanders by chance shifts rows' losses up and down by about their spread, and their mean by the
  /// square of that. A model that has blown up has a mean of about the spread, or far more if few rows have huge
  /// losses.
  static constexpr double beyond_noise = 0.25;
  /// The rise must also exceed this fraction of the initial objective: if rows have no pattern, a run may begin at the
  /// optimum, and then wanders about it.
  static constexpr double beyond_start = 0.1;
  /// Objectives within this fraction of each other count as equal: they are sums of floats.
  static constexpr double beyond_rounding = 1e-5;

  double start = std::numeric_limits<double>::quiet_NaN();  ///< the initial objective; not finite: not known
  std::uint64_t last_good = 0;                              ///< the last measured epoch no worse than that; 0: none

  void take(std::size_t epoch, double objective) {
    if (objective <= start) last_good = epoch;
  }
  /// Whether an objective exceeds the start by more than rounding: only then is the spread computed.
  bool is_above(double objective) const {
    return std::isfinite(start) && objective - start > beyond_rounding * std::max(std::abs(start), std::abs(objective));
  }
  /// One sentence about a run that has diverged by the end of this epoch: how, and when it was good last.
  std::string told(std::size_t epoch, double objective) const {
    using detail::to_short_text;
    std::string text = std::isfinite(objective) ? "the run ends worse than it began: its objective is " +
                                                      to_short_text(objective) + " after epoch " + std::to_string(epoch)
                                                : "the objective is no number after epoch " + std::to_string(epoch);
    if (std::isfinite(start)) text += ", and was " + to_short_text(start) + " before the first";
    if (last_good > 0) return text + "; the last good epoch is " + std::to_string(last_good);
    return text + (std::isfinite(start) ? "; no measured epoch was better" : "");
  }
  /// Whether a run that ends with this objective has diverged. `spread`: the largest distance from the median over
  /// three quarters of the rows' losses, on which a few huge losses have no effect.
  bool ended_worse(double objective, double spread) const {
    return is_above(objective) &&
           !(objective - start <= std::max(beyond_noise * spread, beyond_start * std::abs(start)));
  }
};

/// The losses of at most 64 of `rows` rows, evenly spread; loss_of(r) is the loss of row r.
template <class LossOf>
std::vector<double> few_losses(std::size_t rows, const LossOf& loss_of) {
  constexpr std::size_t most = 64;
  std::vector<double> losses(std::min(rows, most));
  for (std::size_t i = 0; i < losses.size(); ++i) losses[i] = loss_of(i * rows / losses.size());
  return losses;
}

/// The spread for run_course::ended_worse(), estimated from a few rows; 0 if there are no rows.
template <class LossOf>
double spread_of_losses(std::size_t rows, const LossOf& loss_of) {
  const auto part = [](std::vector<double>& of, std::size_t quarters) {
    const auto at = of.begin() + static_cast<std::ptrdiff_t>(quarters * of.size() / 4);
    std::ranges::nth_element(of, at);
    return *at;
  };
  std::vector<double> losses = few_losses(rows, loss_of);
  if (losses.empty()) return 0.0;
  const double middle = part(losses, 2);
  for (double& loss : losses) loss = std::abs(loss - middle);
  return part(losses, 3);
}

}  // namespace hogwild
