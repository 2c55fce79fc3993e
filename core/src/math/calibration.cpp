// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/calibration.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild {
namespace {

/// A row of those that a map is fitted to.
struct held_row {
  double margin;
  double target;  ///< the probability that is aimed at
  double weight;  ///< above 0
};

/// 1 / (1 + exp(z)), and the cross-entropy of it and a target t, without overflow.
double falling_sigmoid(double z) {
  return z >= 0 ? std::exp(-z) / (1 + std::exp(-z)) : 1 / (1 + std::exp(z));
}
double cross_entropy(double z, double t) {
  return z >= 0 ? t * z + std::log1p(std::exp(-z)) : (t - 1) * z + std::log1p(std::exp(z));
}

double objective_of(const std::vector<held_row>& rows, double slope, double intercept) {
  double sum = 0;
  for (const held_row& r : rows) sum += r.weight * cross_entropy(slope * r.margin + intercept, r.target);
  return sum;
}

/// `positive` and `negative`: the weights of the rows of both labels.
calibration fit_platt(std::vector<held_row> rows, double positive, double negative) {
  // Margins of at most 1, so that the constants below suit margins of any size.
  double size = 0;
  for (const held_row& r : rows) size = std::max(size, std::abs(r.margin));
  if (size == 0) size = 1;
  for (held_row& r : rows) {
    r.margin /= size;
    r.target = r.target > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2);
  }
  constexpr double ridge = 1e-12, least_step = 1e-10, sufficient = 1e-4, flat = 1e-12;
  constexpr int most_iterations = 100;
  double slope = 0, intercept = std::log((negative + 1) / (positive + 1));
  double objective = objective_of(rows, slope, intercept);
  for (int k = 0; k < most_iterations; ++k) {
    double h11 = ridge, h22 = ridge, h21 = 0, g1 = 0, g2 = 0;
    for (const held_row& r : rows) {
      const double p = falling_sigmoid(slope * r.margin + intercept);
      const double curvature = r.weight * p * (1 - p), gradient = r.weight * (r.target - p);
      h11 += r.margin * r.margin * curvature;
      h22 += curvature;
      h21 += r.margin * curvature;
      g1 += r.margin * gradient;
      g2 += gradient;
    }
    if (std::max(std::abs(g1), std::abs(g2)) <= flat * (positive + negative)) break;
    const double determinant = h11 * h22 - h21 * h21;
    const double d1 = -(h22 * g1 - h21 * g2) / determinant, d2 = -(h11 * g2 - h21 * g1) / determinant;
    const double descent = g1 * d1 + g2 * d2;
    double step = 1, lower = objective;
    for (; step >= least_step; step /= 2) {
      lower = objective_of(rows, slope + step * d1, intercept + step * d2);
      if (lower < objective + sufficient * step * descent) break;
    }
    if (step < least_step) break;
    slope += step * d1, intercept += step * d2, objective = lower;
  }
  return {.kind = calibration_kind::platt, .slope = slope / size, .intercept = intercept};
}

/// Adjacent margins that have one probability.
struct margin_block {
  double least, most, weight, mean;
};

calibration fit_isotonic(std::vector<held_row> rows) {
  std::ranges::sort(rows, {}, &held_row::margin);
  std::vector<margin_block> blocks;
  const auto pool = [&] {
    const margin_block last = blocks.back();
    blocks.pop_back();
    margin_block& into = blocks.back();
    into.mean = (into.weight * into.mean + last.weight * last.mean) / (into.weight + last.weight);
    into.weight += last.weight;
    into.most = last.most;
  };
  for (std::size_t first = 0; first < rows.size();) {
    margin_block next{rows[first].margin, rows[first].margin, 0, 0};
    double sum = 0;
    for (; first < rows.size() && rows[first].margin == next.least; ++first) {
      next.weight += rows[first].weight;
      sum += rows[first].weight * rows[first].target;
    }
    next.mean = sum / next.weight;
    blocks.push_back(next);
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean >= blocks.back().mean) pool();
  }
  calibration made{.kind = calibration_kind::isotonic};
  for (const margin_block& block : blocks) {
    made.margins.push_back(block.least), made.probabilities.push_back(std::clamp(block.mean, 0.0, 1.0));
    if (block.most == block.least) continue;
    made.margins.push_back(block.most), made.probabilities.push_back(made.probabilities.back());
  }
  return made;
}

}  // namespace

double calibration::probability(double margin) const {
  if (kind == calibration_kind::platt) return falling_sigmoid(slope * margin + intercept);
  if (std::isnan(margin)) return margin;
  const auto above = std::ranges::upper_bound(margins, margin);
  if (above == margins.begin()) return probabilities.front();
  if (above == margins.end()) return probabilities.back();
  const auto k = static_cast<std::size_t>(above - margins.begin());
  const double part = (margin - margins[k - 1]) / (margins[k] - margins[k - 1]);
  return probabilities[k - 1] + part * (probabilities[k] - probabilities[k - 1]);
}

std::string calibration::fault() const {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (kind == calibration_kind::platt && !(finite(slope) && finite(intercept)))
    return "a number of its calibration is not finite";
  if (kind != calibration_kind::isotonic) return margins.empty() ? "" : "its calibration has margins and needs none";
  if (margins.empty() || margins.size() != probabilities.size())
    return "its calibration does not have a probability for each margin";
  if (!std::ranges::all_of(margins, finite) ||
      std::ranges::adjacent_find(margins, std::greater_equal<>()) != margins.end())
    return "the margins of its calibration do not ascend";
  if (!(probabilities.front() >= 0 && probabilities.back() <= 1) || !std::ranges::all_of(probabilities, finite) ||
      !std::ranges::is_sorted(probabilities))
    return "the probabilities of its calibration fall, or are not from 0 to 1";
  return "";
}

calibration fit_calibration(calibration_kind kind, std::span<const double> margins, std::span<const float> labels,
                            std::span<const float> weights) {
  std::vector<held_row> rows;
  double positive = 0, negative = 0;
  for (std::size_t r = 0; r < margins.size(); ++r) {
    const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[r]);
    if (!std::isfinite(margins[r]))
      throw config_error("the model cannot be calibrated: its margin for a held-back row is not finite");
    if (weight <= 0) continue;
    (labels[r] > 0 ? positive : negative) += weight;
    rows.push_back({margins[r], labels[r] > 0 ? 1.0 : 0.0, weight});
  }
  if (positive == 0 || negative == 0)
    throw config_error("the model cannot be calibrated: the held-back rows do not have both labels");
  switch (kind) {
    case calibration_kind::platt:
      return fit_platt(std::move(rows), positive, negative);
    case calibration_kind::isotonic:
      return fit_isotonic(std::move(rows));
    case calibration_kind::none:
      break;
  }
  return {};
}

std::string_view name_of(calibration_kind kind) {
  return kind == calibration_kind::platt ? "platt" : kind == calibration_kind::isotonic ? "isotonic" : "none";
}

}  // namespace hogwild
