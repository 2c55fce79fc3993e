// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/metrics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>

#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

void require_same_length(std::span<const float> scores, std::span<const float> labels, std::span<const float> weights) {
  if (!weights.empty() && weights.size() != labels.size()) {
    throw config_error(std::to_string(weights.size()) + " weights do not suit " + std::to_string(labels.size()) +
                       " labels; pass one of each a row, or none");
  }
  if (scores.size() != labels.size()) {
    throw config_error(std::to_string(scores.size()) + " predictions cannot be compared with " +
                       std::to_string(labels.size()) + " labels; pass one of each a row");
  }
}

/// Fewer rows are sorted within about a millisecond, so that other threads would not help.
constexpr std::size_t worth_other_threads = std::size_t{1} << 14;

double sum_of_first(std::span<const double> numbers, std::size_t k) {
  return std::accumulate(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(k), 0.0);
}

struct scored {
  float score, weight;  ///< for a negative row: minus its weight
};

}  // namespace

double confusion::accuracy() const {
  return fraction(true_positive + true_negative, rows());
}
double confusion::precision() const {
  return fraction(true_positive, true_positive + false_positive);
}
double confusion::recall() const {
  return fraction(true_positive, true_positive + false_negative);
}
double confusion::f1() const {
  return fraction(2 * true_positive, 2 * true_positive + false_positive + false_negative);
}
double confusion::matthews() const {
  const double positive = (true_positive + false_positive) * (true_positive + false_negative);
  const double negative = (true_negative + false_positive) * (true_negative + false_negative);
  return fraction(true_positive * true_negative - false_positive * false_negative, std::sqrt(positive * negative));
}

confusion count_confusion(std::span<const float> scores, std::span<const float> labels,
                          std::span<const float> weights) {
  require_same_length(scores, labels, weights);
  confusion counts;
  for (std::size_t r = 0; r < scores.size(); ++r) {
    if (labels[r] > 0) {
      (scores[r] > 0 ? counts.true_positive : counts.false_negative) += weight_of(weights, r);
    } else {
      (scores[r] < 0 ? counts.true_negative : counts.false_positive) += weight_of(weights, r);
    }
  }
  return counts;
}

std::optional<double> area_under_curve(std::span<const float> scores, std::span<const float> labels,
                                       std::span<const float> weights) {
  require_same_length(scores, labels, weights);
  std::vector<scored> rows;
  rows.reserve(scores.size());
  for (std::size_t r = 0; r < scores.size(); ++r) {
    if (std::isnan(scores[r])) return std::nullopt;
    const auto weight = static_cast<float>(weight_of(weights, r));
    if (weight > 0.0f) rows.push_back({scores[r], labels[r] > 0 ? weight : -weight});
  }
  const auto by_score = [](const scored& a, const scored& b) { return a.score < b.score; };
  if (rows.size() < worth_other_threads) {
    std::ranges::sort(rows, by_score);
  } else {
    require_tbb_threads(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
    tbb::parallel_sort(rows.begin(), rows.end(), by_score);
  }

  // Twice the number of pairs in order: without weights half a pair then is a whole number, and the sum exact.
  double twice_ordered = 0, positives = 0, negatives = 0;
  for (std::size_t first = 0; first < rows.size();) {
    double tied_positives = 0, tied_negatives = 0;
    std::size_t last = first;
    for (; last < rows.size() && rows[last].score == rows[first].score; ++last) {
      const auto weight = static_cast<double>(rows[last].weight);
      (weight > 0 ? tied_positives : tied_negatives) += std::abs(weight);
    }
    twice_ordered += tied_positives * (2 * negatives + tied_negatives);
    positives += tied_positives;
    negatives += tied_negatives;
    first = last;
  }
  if (positives == 0 || negatives == 0) return std::nullopt;
  return twice_ordered / (2.0 * positives * negatives);
}

std::vector<std::uint32_t> best_classes(std::span<const float> scores, std::size_t most) {
  std::vector<std::uint32_t> best;
  for (std::uint32_t k = 0; k < scores.size(); ++k) {
    if (std::isnan(scores[k]) || (best.size() == most && !(most > 0 && scores[k] > scores[best.back()]))) continue;
    if (best.size() == most) best.pop_back();
    const auto place = std::ranges::find_if(best, [&](std::uint32_t other) { return scores[k] > scores[other]; });
    best.insert(place, k);
  }
  return best;
}

std::vector<double> inverse_propensities(std::span<const std::uint32_t> class_rows, std::uint64_t rows,
                                         const propensity_curve& curve) {
  const double size = std::max(std::log(static_cast<double>(rows)) - 1.0, 0.0) * std::pow(curve.b + 1.0, curve.a);
  std::vector<double> inverse;
  for (const std::uint32_t n : class_rows)
    inverse.push_back(1.0 + size * std::pow(static_cast<double>(n) + curve.b, -curve.a));
  return inverse;
}

void list_counts::add(std::span<const float> scores, float decision, std::span<const std::uint32_t> given,
                      float row_weight) {
  const auto weight = static_cast<double>(row_weight);
  rows_ += weight;
  const auto has = [&](std::uint32_t k) { return std::ranges::find(given, k) != given.end(); };
  const std::vector<std::uint32_t> best = best_classes(scores, most_best);
  for (std::size_t place = 0; place < best.size(); ++place) right_at_[place] += has(best[place]) ? weight : 0.0;
  for (std::uint32_t k = 0; k < scores.size(); ++k) of_class_[k].said += scores[k] > decision ? weight : 0.0;
  for (const std::uint32_t k : given) {
    of_class_[k].given += weight;
    of_class_[k].right += scores[k] > decision ? weight : 0.0;
  }
  if (inverse_.empty()) return;
  std::array<double, most_best> rarest{};  // the largest first; zeros behind them
  for (const std::uint32_t k : given) {
    const auto place = std::ranges::upper_bound(rarest, inverse_[k], std::greater<>());
    if (place == rarest.end()) continue;
    std::move_backward(place, rarest.end() - 1, rarest.end());
    *place = inverse_[k];
  }
  for (std::size_t place = 0; place < best.size(); ++place) {
    scored_at_[place] += has(best[place]) ? weight * inverse_[best[place]] : 0.0;
  }
  for (std::size_t place = 0; place < most_best; ++place) best_at_[place] += weight * rarest[place];
}

void list_counts::add(const list_counts& other) {
  rows_ += other.rows_;
  for (std::size_t place = 0; place < most_best; ++place) {
    right_at_[place] += other.right_at_[place];
    scored_at_[place] += other.scored_at_[place];
    best_at_[place] += other.best_at_[place];
  }
  for (std::size_t k = 0; k < of_class_.size(); ++k) {
    of_class_[k].right += other.of_class_[k].right;
    of_class_[k].said += other.of_class_[k].said;
    of_class_[k].given += other.of_class_[k].given;
  }
}

std::optional<double> list_counts::precision_at(std::size_t k) const {
  if (!has_place(k)) return std::nullopt;
  return fraction(sum_of_first(right_at_, k), static_cast<double>(k) * rows_);
}

std::optional<double> list_counts::propensity_scored_precision_at(std::size_t k) const {
  if (!has_place(k) || inverse_.empty()) return std::nullopt;
  return fraction(sum_of_first(scored_at_, k), sum_of_first(best_at_, k));
}

double accuracy(std::span<const float> predictions, std::span<const float> labels, std::span<const float> weights) {
  require_same_length(predictions, labels, weights);
  double right = 0, all = 0;
  for (std::size_t r = 0; r < predictions.size(); ++r) {
    right += predictions[r] == labels[r] ? weight_of(weights, r) : 0.0;
    all += weight_of(weights, r);
  }
  return fraction(right, all);
}

double rmse(std::span<const float> predictions, std::span<const float> labels, std::span<const float> weights) {
  require_same_length(predictions, labels, weights);
  double sum = 0, all = 0;
  for (std::size_t r = 0; r < predictions.size(); ++r) {
    const double difference = static_cast<double>(predictions[r]) - static_cast<double>(labels[r]);
    sum += weight_of(weights, r) * (difference * difference);
    all += weight_of(weights, r);
  }
  return all == 0.0 ? 0.0 : std::sqrt(sum / all);
}

}  // namespace hogwild
