// SPDX-License-Identifier: Apache-2.0
#include "score_curves.hpp"

#include <algorithm>
#include <numeric>

#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/error.hpp>

namespace hogwild::cli {
namespace {

/// Leaves out points of a curve that rises in x and y, unless it goes on by 1/256 or more. Where points are left out,
/// the area between both curves is at most a square of that size for each of at most 512 points.
template <class At>
std::vector<curve_point> thinned(std::size_t points, const At& at) {
  constexpr double apart = 1.0 / 256;
  std::vector<curve_point> kept{at(0)};
  std::size_t last = 0;
  for (std::size_t k = 1; k < points; ++k) {
    const curve_point p = at(k), from = kept.back();
    if (p.x - from.x + (p.y - from.y) < apart && k + 1 < points) continue;
    if (last + 1 < k) kept.push_back(at(k - 1));  // a long way in one step stays one straight line
    kept.push_back(p);
    last = k;
  }
  return kept;
}

}  // namespace

ranked_rows::ranked_rows(std::span<const float> scores, std::span<const float> labels, std::span<const float> weights)
    : taken_{{0, 0}} {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(
      order, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b] || (scores[a] == scores[b] && a < b); });
  for (std::size_t first = 0; first < order.size();) {
    counts next = taken_.back();
    const float score = scores[order[first]];
    for (; first < order.size() && scores[order[first]] == score; ++first)
      (labels[order[first]] > 0.0f ? next.positive : next.negative) += weight_of(weights, order[first]);
    if (next.positive + next.negative > taken_.back().positive + taken_.back().negative) taken_.push_back(next);
  }
  if (taken_.back().positive == 0 || taken_.back().negative == 0)
    throw config_error("--plot: the rows have one of the two labels only, so that there are no curves: leave it out");
}

curve_point ranked_rows::roc_at(std::size_t k) const {
  return {taken_[k].negative / taken_.back().negative, recall_at(k)};
}

curve_point ranked_rows::gain_point(std::size_t k) const {
  return {(taken_[k].positive + taken_[k].negative) / (taken_.back().positive + taken_.back().negative), recall_at(k)};
}

std::vector<curve_point> ranked_rows::roc() const {
  return thinned(taken_.size(), [&](std::size_t k) { return roc_at(k); });
}

std::vector<curve_point> ranked_rows::gains() const {
  return thinned(taken_.size(), [&](std::size_t k) { return gain_point(k); });
}

std::vector<curve_point> ranked_rows::precision_recall() const {
  constexpr double apart = 1.0 / 512;
  std::vector<curve_point> steps;
  double recall = 0;
  for (std::size_t k = 1; k < taken_.size(); ++k) {
    const double now = recall_at(k);
    if (now == recall_at(k - 1) || (now - recall < apart && now < 1.0)) continue;
    steps.push_back({recall, precision_at(k)});
    steps.push_back({now, precision_at(k)});
    recall = now;
  }
  steps.push_back({1.0, base_rate()});
  return steps;
}

double ranked_rows::average_precision() const {
  double sum = 0;
  for (std::size_t k = 1; k < taken_.size(); ++k) sum += (recall_at(k) - recall_at(k - 1)) * precision_at(k);
  return sum;
}

double ranked_rows::gain_at(double part) const {
  std::size_t k = 1;
  while (k + 1 < taken_.size() && gain_point(k).x < part) ++k;
  const curve_point before = gain_point(k - 1), after = gain_point(k);
  return before.y + (after.y - before.y) * std::clamp((part - before.x) / (after.x - before.x), 0.0, 1.0);
}

}  // namespace hogwild::cli
