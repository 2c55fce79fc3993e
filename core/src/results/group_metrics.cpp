// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/group_metrics.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <hogwild/detail/results/metrics.hpp>

namespace hogwild {
namespace {

using floats = std::span<const float>;

/// Calls f(rows) with the numbers of the rows of each group, in their order.
template <class F>
void for_each_group(std::span<const std::uint32_t> groups, const F& f) {
  std::vector<std::size_t> rows(groups.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::stable_sort(rows, {}, [&](std::size_t r) { return groups[r]; });
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    while (last < rows.size() && groups[rows[last]] == groups[rows[first]]) ++last;
    f(std::span(rows).subspan(first, last - first));
  }
}

/// Numbers of some rows, or none if there are none.
std::vector<float> of_rows(floats all, std::span<const std::size_t> rows) {
  std::vector<float> some;
  if (all.empty()) return some;
  for (const std::size_t r : rows) some.push_back(all[r]);
  return some;
}

constexpr std::size_t places = 10;
constexpr float best_grade = 30.0f;

double gain(float label) {
  return label > 0.0f ? std::exp2(static_cast<double>(label)) - 1.0 : 0.0;
}

/// The gain of labels in this order of their scores, in which rows of equal scores share the mean of their gains.
double discounted(floats scores, floats labels, std::span<const std::size_t> order) {
  double sum = 0.0;
  for (std::size_t first = 0; first < std::min(order.size(), places);) {
    double gains = 0.0, discounts = 0.0;
    std::size_t last = first;
    for (; last < order.size() && scores[order[last]] == scores[order[first]]; ++last) {
      gains += gain(labels[order[last]]);
      if (last < places) discounts += 1.0 / std::log2(static_cast<double>(last + 2));
    }
    sum += gains / static_cast<double>(last - first) * discounts;
    first = last;
  }
  return sum;
}

}  // namespace

std::optional<double> group_auc(floats scores, floats labels, floats weights, std::span<const std::uint32_t> groups) {
  double sum = 0.0, weight = 0.0;
  if (std::ranges::any_of(scores, [](float score) { return std::isnan(score); })) return std::nullopt;
  for_each_group(groups, [&](std::span<const std::size_t> rows) {
    const std::vector<float> own = of_rows(weights, rows);
    const auto area = area_under_curve(of_rows(scores, rows), of_rows(labels, rows), own);
    if (!area) return;
    double all = static_cast<double>(rows.size());
    if (!own.empty()) all = std::accumulate(own.begin(), own.end(), 0.0);
    sum += *area * all;
    weight += all;
  });
  return weight > 0.0 ? std::optional(sum / weight) : std::nullopt;
}

std::optional<double> ndcg_at_10(floats scores, floats labels, floats, std::span<const std::uint32_t> groups) {
  const auto is_grade = [](float label) { return label <= best_grade && std::trunc(label) == label; };
  const auto is_number = [](float score) { return !std::isnan(score); };
  if (!std::ranges::all_of(labels, is_grade) || !std::ranges::all_of(scores, is_number)) return std::nullopt;
  double sum = 0.0, count = 0.0;
  for_each_group(groups, [&](std::span<const std::size_t> rows) {
    std::vector<std::size_t> order(rows.begin(), rows.end());
    std::ranges::sort(order, std::greater<>(), [&](std::size_t r) { return labels[r]; });
    const double best = discounted(labels, labels, order);
    if (best == 0.0) return;
    std::ranges::sort(order, std::greater<>(), [&](std::size_t r) { return scores[r]; });
    sum += discounted(scores, labels, order) / best;
    count += 1.0;
  });
  return count > 0.0 ? std::optional(sum / count) : std::nullopt;
}

}  // namespace hogwild
