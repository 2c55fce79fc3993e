// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/linear_classes.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/task/margin_bound.hpp>

#include "task/bound_passes.hpp"

namespace hogwild {
namespace detail {
namespace {

/// Scores of the rows for all classes, and each row's target distribution over the classes.
class scores_of_rows {
 public:
  scores_of_rows(std::size_t classes, const sparse_view& rows, const label_map& labels, thread_team& threads,
                 const agreement& ranks)
      : rows_(rows),
        labels_(labels),
        threads_(threads),
        ranks_(ranks),
        classes_(classes),
        score_(rows.rows() * classes_),
        chunks_(rows.rows(), bound_chunk) {}

  /// Computes the scores without constants. False if a stop is requested, at any rank.
  bool take(std::span<const float> weights, const std::stop_token& stop) {
    over_rows(rows_, threads_, stop, [&](row_cursor& cursor, const chunk& now, std::size_t) {
      std::vector<double> sum(classes_);
      for (std::size_t r = now.first; r < now.last; ++r) {
        std::ranges::fill(sum, 0.0);
        for (const auto [j, x] : cursor.row(r))
          for (std::size_t k = 0; k < classes_; ++k)
            sum[k] += static_cast<double>(weights[j * classes_ + k]) * static_cast<double>(x);
        std::ranges::transform(sum, &score_[r * classes_], [](double s) { return static_cast<float>(s); });
      }
    });
    if (ranks_.any(stop.stop_requested())) return false;
    counted_ = sums(1, [](std::size_t, std::span<double> one) { one[0] = 1.0; })[0];
    return true;
  }

  std::size_t classes() const { return classes_; }
  double counted() const { return counted_; }

  /// Whether the row has a loss.
  bool has_classes(std::size_t r) const {
    std::vector<std::uint32_t> room;
    return !rows_.label.lists() || !labels_.encode_list(rows_.label, r, room).empty();
  }

  /// The means over the rows of all ranks, weighted, of the numbers that of(r, numbers) fills in for rows that have
  /// classes; others count as zeros.
  template <class Of>
  std::vector<double> means(std::size_t numbers, const Of& of) const {
    std::vector<double> all = sums(numbers, [&](std::size_t r, std::span<double> part) {
      if (has_classes(r))
        of(r, part);
      else
        std::ranges::fill(part, 0.0);
    });
    for (double& x : all) x /= counted_;
    return all;
  }

  /// Turns the row's scores into probabilities; returns the logarithm of their divisor.
  double probable(std::size_t r, std::span<const double> constants, std::span<double> p) const {
    const float* const s = &score_[r * classes_];
    double top = -HUGE_VAL, sum = 0.0;
    for (std::size_t k = 0; k < classes_; ++k) top = std::max(top, p[k] = static_cast<double>(s[k]) + constants[k]);
    for (double& x : p) sum += x = std::exp(x - top);
    for (double& x : p) x /= sum;
    return top + std::log(sum);
  }
  double score(std::size_t r, std::size_t k) const { return static_cast<double>(score_[r * classes_ + k]); }

  /// Calls add(class, part) for each class of the row; the parts sum to 1.
  template <class Add>
  void for_wanted(std::size_t r, const Add& add) const {
    if (!rows_.label.lists()) return add(static_cast<std::size_t>(labels_.encode(rows_.label[r])), 1.0);
    std::vector<std::uint32_t> room;
    const auto given = labels_.encode_list(rows_.label, r, room);
    for (const std::uint32_t k : given) add(k, 1.0 / static_cast<double>(given.size()));
  }

 private:
  template <class Of>
  std::vector<double> sums(std::size_t numbers, const Of& of) const {
    std::vector<std::vector<double>> parts(chunks_.count());
    ticket_counter next{};
    next.open(1, 0);
    threads_.run([&](std::size_t) {
      std::vector<double> of_row(numbers);
      while (const auto i = next.draw(1, chunks_.count())) {
        parts[*i].resize(numbers);
        for (std::size_t r = chunks_[*i].first; r < chunks_[*i].last; ++r) {
          const auto weight = static_cast<double>(rows_.weight_of(r));
          if (!(weight > 0.0)) continue;
          of(r, std::span(of_row));
          for (std::size_t k = 0; k < numbers; ++k) parts[*i][k] += weight * of_row[k];
        }
      }
    });
    std::vector<double> total(numbers);
    for (const std::vector<double>& part : parts)
      for (std::size_t k = 0; k < numbers; ++k) total[k] += part[k];
    ranks_.sum(total);
    return total;
  }

  const sparse_view& rows_;
  const label_map& labels_;
  thread_team& threads_;
  const agreement& ranks_;
  std::size_t classes_;
  std::vector<float> score_;
  chunk_plan chunks_;
  double counted_ = 0.0;
};

/// Constants under which the mean probability of each class is close to its mean target (scaled as by Sinkhorn and
/// Knopp, 1967), and the correction that makes it exact.
struct class_constants {
  std::vector<double> at{};
  double mixed = 0.0;           ///< this fraction of the probabilities is replaced
  std::vector<double> other{};  ///< by this distribution, so that the mean is exact
};

class_constants best_constants(const scores_of_rows& rows, std::vector<double> begin) {
  constexpr int most_rounds = 30;
  constexpr double close = 1e-10;
  const std::size_t classes = rows.classes();
  const std::vector<double> wanted = rows.means(classes, [&](std::size_t r, std::span<double> part) {
    std::ranges::fill(part, 0.0);
    rows.for_wanted(r, [&](std::size_t k, double p) { part[k] += p; });
  });
  class_constants found{.at = std::move(begin), .other = std::vector<double>(classes)};
  std::vector<double> mean;
  for (int i = 0;; ++i) {
    mean = rows.means(classes, [&](std::size_t r, std::span<double> p) { rows.probable(r, found.at, p); });
    found.mixed = 0.0;
    for (std::size_t k = 0; k < classes; ++k)
      if (mean[k] > 0.0) found.mixed = std::max(found.mixed, 1.0 - wanted[k] / mean[k]);
    if (found.mixed <= close || i == most_rounds) break;
    constexpr double never = -1e4;  // for a class that no row has
    for (std::size_t k = 0; k < classes; ++k) {
      if (wanted[k] <= 0.0)
        found.at[k] = never;
      else if (mean[k] > 0.0)
        found.at[k] += std::log(wanted[k] / mean[k]);
    }
  }
  if (!(found.mixed > 0.0)) return found;
  double sum = 0.0;
  for (std::size_t k = 0; k < classes; ++k)
    sum += found.other[k] = std::max((wanted[k] - (1.0 - found.mixed) * mean[k]) / found.mixed, 0.0);
  for (double& part : found.other) part /= sum;
  return found;
}

/// For the cross entropy of all classes.
std::optional<loss_bound> bound_of_all(std::size_t classes, const sparse_view& data, const label_map& labels,
                                       std::span<const float> parameters, constant_term constant, thread_team& threads,
                                       const agreement& ranks, const std::stop_token& stop) {
  scores_of_rows rows(classes, data, labels, threads, ranks);
  if (!rows.take(parameters, stop)) return std::nullopt;
  std::vector<double> given(classes);
  if (constant != constant_term::none) std::ranges::copy(parameters.last(classes), given.begin());
  loss_bound bound{.width = classes};
  const auto loss = [&](std::size_t r, std::span<double> said) {
    std::vector<double> p(classes);
    said[0] = rows.probable(r, given, p);
    rows.for_wanted(r, [&](std::size_t k, double part) { said[0] -= part * (rows.score(r, k) + given[k]); });
  };
  bound.loss = rows.means(1, loss)[0];
  class_constants at{.at = given, .other = std::vector<double>(classes)};
  if (constant == constant_term::free) at = best_constants(rows, given);
  const double kept = 1.0 - at.mixed;
  double entropy = 0.0;
  for (const double p : at.other)
    if (p > 0.0) entropy -= p * std::log(p);
  const auto slopes = [&](std::size_t r, std::span<double> slope) {
    const double log_sum = rows.probable(r, at.at, slope);
    double tangent = log_sum;
    for (std::size_t k = 0; k < classes; ++k) {
      if (slope[k] > 0.0) tangent -= slope[k] * (rows.score(r, k) + at.at[k]);
      slope[k] = kept * slope[k] + at.mixed * at.other[k];
    }
    rows.for_wanted(r, [&](std::size_t k, double part) { slope[k] -= part; });
    return kept * tangent + at.mixed * entropy;
  };
  bound.at_zero = rows.means(1, [&](std::size_t r, std::span<double> said) {
    std::vector<double> slope(classes);
    said[0] = slopes(r, slope);
    if (constant != constant_term::fixed) return;
    for (std::size_t k = 0; k < classes; ++k) said[0] += slope[k] * given[k];
  })[0];
  bound.slope = sum_of_rows(data, classes, threads, stop, [&](std::size_t r, std::span<double> slope) {
    const double part = static_cast<double>(data.weight_of(r)) / rows.counted();
    if (!(part > 0.0) || !rows.has_classes(r)) return false;
    slopes(r, slope);
    for (double& x : slope) x *= part;
    return true;
  });
  if (ranks.any(stop.stop_requested())) return std::nullopt;
  ranks.sum(bound.slope);
  return bound;
}

/// For a loss of each class against all others: the sum of these.
std::optional<loss_bound> bound_of_each(const margin_loss& loss, std::size_t classes, const sparse_view& data,
                                        const label_map& labels, std::span<const float> parameters,
                                        constant_term constant, thread_team& threads, const agreement& ranks,
                                        const std::stop_token& stop) {
  const label_map signs(label_kind::binary, {-1.0, 1.0});
  loss_bound bound{.slope = std::vector<double>(data.columns * classes), .width = classes};
  std::vector<double> sign(data.rows());
  std::vector<float> own(data.columns + (constant == constant_term::none ? 0 : 1));
  std::vector<std::uint32_t> room;
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < data.rows(); ++r) {
      const bool is_one = data.label.lists() ? std::ranges::count(labels.encode_list(data.label, r, room), k) > 0
                                             : static_cast<std::size_t>(labels.encode(data.label[r])) == k;
      sign[r] = is_one ? 1.0 : -1.0;
    }
    for (std::size_t j = 0; j < own.size(); ++j) own[j] = parameters[j * classes + k];
    sparse_view rows = data;
    rows.label = label_column(std::span<const double>(sign));
    const auto one = bound_of_margins(loss, smoothness(loss), rows, signs, own, constant, threads, ranks, stop);
    if (!one) return std::nullopt;
    bound.loss += one->loss, bound.at_zero += one->at_zero, bound.least += one->least;
    for (std::size_t j = 0; j < data.columns; ++j) bound.slope[j * classes + k] = one->slope[j];
  }
  return bound;
}

}  // namespace
}  // namespace detail

std::optional<loss_bound> linear_classes::bound(const sparse_view& rows, const label_map& labels,
                                                std::span<const float> parameters, bool fixed_constants,
                                                thread_team& threads, const agreement& ranks,
                                                const std::stop_token& stop) const {
  const detail::constant_term constant = detail::constant_of(bias, fixed_constants);
  if (of_each)
    return detail::bound_of_each(*of_each, classes, rows, labels, parameters, constant, threads, ranks, stop);
  return detail::bound_of_all(classes, rows, labels, parameters, constant, threads, ranks, stop);
}

}  // namespace hogwild
