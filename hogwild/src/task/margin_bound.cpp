// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/margin_bound.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>

#include "task/bound_passes.hpp"

namespace hogwild::detail {
namespace {

/// A constant term, and the slope of the mean loss with respect to it.
struct tried_constant {
  double at = 0.0, slope = 0.0;
};

/// Two constants that bracket the best one, and the mix of both that has slope 0.
struct bracket {
  tried_constant low{}, high{};

  double part_of_low() const {
    const double width = high.slope - low.slope;
    return width > 0.0 ? high.slope / width : 1.0;
  }
  /// The intersection of the tangents at both is at most this far below the lowest mean loss.
  double depth() const {
    const double width = high.slope - low.slope;
    return width > 0.0 ? -low.slope * high.slope / width * (high.at - low.at) : 0.0;
  }
};

class margins_of_rows {
 public:
  margins_of_rows(const margin_loss& loss, const sparse_view& rows, const label_map& labels, thread_team& threads,
                  const agreement& ranks)
      : loss_(loss),
        rows_(rows),
        threads_(threads),
        ranks_(ranks),
        margin_(rows.rows()),
        label_(rows.rows()),
        chunks_(rows.rows(), bound_chunk) {
    for (std::size_t r = 0; r < rows.rows(); ++r) label_[r] = labels.encode(rows.label[r]);
  }

  /// Computes margins without a constant term. False if a stop is requested, at any rank.
  bool take(std::span<const float> weights, const std::stop_token& stop) {
    over_rows(rows_, threads_, stop, [&](row_cursor& cursor, const chunk& now, std::size_t) {
      for (std::size_t r = now.first; r < now.last; ++r) {
        double sum = static_cast<double>(rows_.offset_of(r));
        for (const auto [j, x] : cursor.row(r)) sum += static_cast<double>(weights[j]) * static_cast<double>(x);
        margin_[r] = sum;
      }
    });
    if (ranks_.any(stop.stop_requested())) return false;
    counted_ = sum_over_rows([](std::size_t) { return 1.0; });
    return true;
  }

  /// The weighted mean over the rows of all ranks.
  template <class Of>
  double mean(const Of& of) const {
    return sum_over_rows(of) / counted_;
  }

  float at(std::size_t r, double constant) const { return static_cast<float>(margin_[r] + constant); }
  double loss(std::size_t r, float margin) const { return loss_.loss(margin, label_[r]); }
  double slope(std::size_t r, float margin) const { return static_cast<double>(loss_.derivative(margin, label_[r])); }
  double least(std::size_t r) const { return loss_.least(label_[r]); }
  double counted() const { return counted_; }

  tried_constant try_constant(double constant) const {
    return {constant, mean([&](std::size_t r) { return slope(r, at(r, constant)); })};
  }

 private:
  template <class Of>
  double sum_over_rows(const Of& of) const {
    std::vector<double> sums(chunks_.count());
    ticket_counter next{};
    next.open(1, 0);
    const auto add_up = [&](std::size_t) {
      while (const auto i = next.draw(1, chunks_.count())) {
        double sum = 0.0;
        for (std::size_t r = chunks_[*i].first; r < chunks_[*i].last; ++r) {
          const auto weight = static_cast<double>(rows_.weight_of(r));
          if (weight > 0.0) sum += weight * of(r);
        }
        sums[*i] = sum;
      }
    };
    chunks_.count() < 8 ? add_up(0) : static_cast<void>(threads_.run(add_up));
    double total = 0.0;
    for (const double sum : sums) total += sum;
    return ranks_.sum(total);
  }

  const margin_loss& loss_;
  const sparse_view& rows_;
  thread_team& threads_;
  const agreement& ranks_;
  std::vector<double> margin_;
  std::vector<float> label_;
  chunk_plan chunks_;
  double counted_ = 0.0;
};

/// A bracket of the best constant, searched from `begin` on, so narrow that it costs the bound at most `accuracy`.
/// Nothing if no constant minimises the mean loss.
std::optional<bracket> best_constant(const margins_of_rows& rows, double begin, double smoothness, double accuracy) {
  constexpr int most_doublings = 60, most_halvings = 60;
  const tried_constant first = rows.try_constant(begin);
  if (first.slope == 0.0) return bracket{first, first};
  if (!std::isfinite(first.slope)) return std::nullopt;
  const double down = first.slope > 0.0 ? -1.0 : 1.0, least = 1e-6 * std::max(1.0, std::abs(begin));
  tried_constant near = first, far = first;
  double step = std::max(std::abs(first.slope) / std::max(smoothness, 1e-9), least);
  for (int i = 0; far.slope * first.slope > 0.0; ++i, step *= 4.0) {
    if (i == most_doublings || !std::isfinite(far.slope)) return std::nullopt;
    near = far;
    far = rows.try_constant(near.at + down * step);
  }
  if (!std::isfinite(far.slope)) return std::nullopt;
  bracket found = down > 0.0 ? bracket{near, far} : bracket{far, near};
  // By the secant, and every third time by halving, which losses with kinks need.
  for (int i = 0; i < most_halvings && found.depth() > accuracy; ++i) {
    const double width = found.high.at - found.low.at;
    double middle = found.low.at + (i % 3 == 2 ? 0.5 : 1.0 - found.part_of_low()) * width;
    middle = std::clamp(middle, found.low.at + 0.01 * width, found.high.at - 0.01 * width);
    if (!(middle > found.low.at && middle < found.high.at)) break;
    const tried_constant between = rows.try_constant(middle);
    (between.slope > 0.0 ? found.high : found.low) = between;
    if (between.slope == 0.0) return bracket{between, between};
  }
  return found;
}

}  // namespace

std::optional<loss_bound> bound_of_margins(const margin_loss& loss, double smoothness, const sparse_view& data,
                                           const label_map& labels, std::span<const float> parameters,
                                           constant_term constant, thread_team& threads, const agreement& ranks,
                                           const std::stop_token& stop) {
  constexpr double accuracy = 1e-9;  // relative to the mean loss
  margins_of_rows rows(loss, data, labels, threads, ranks);
  if (!rows.take(parameters.first(data.columns), stop)) return std::nullopt;
  const double given = constant == constant_term::none ? 0.0 : static_cast<double>(parameters[data.columns]);
  loss_bound bound;
  bound.loss = rows.mean([&](std::size_t r) { return rows.loss(r, rows.at(r, given)); });
  bound.least = rows.mean([&](std::size_t r) { return rows.least(r); });
  const tried_constant as_given{given, 0.0};
  std::optional<bracket> at = bracket{as_given, as_given};
  if (constant == constant_term::free) at = best_constant(rows, given, smoothness, accuracy * std::abs(bound.loss));
  if (!at) {
    bound.slope.resize(data.columns);
    bound.at_zero = bound.least;
    return bound;
  }
  const double low = at->part_of_low(), high = 1.0 - low;
  const auto slope_of = [&](std::size_t r) {
    return low * rows.slope(r, rows.at(r, at->low.at)) + high * rows.slope(r, rows.at(r, at->high.at));
  };
  const double fixed = constant == constant_term::fixed ? given : 0.0;
  bound.at_zero = rows.mean([&](std::size_t r) {
    const auto tangent = [&](double where) {
      const float margin = rows.at(r, where);
      return rows.loss(r, margin) - rows.slope(r, margin) * static_cast<double>(margin);
    };
    const double known = static_cast<double>(data.offset_of(r)) + fixed;  // does not depend on the weights
    return (low > 0.0 ? low * tangent(at->low.at) : 0.0) + (high > 0.0 ? high * tangent(at->high.at) : 0.0) +
           slope_of(r) * known;
  });
  bound.slope = sum_of_rows(data, 1, threads, stop, [&](std::size_t r, std::span<double> slope) {
    slope[0] = static_cast<double>(data.weight_of(r));
    if (slope[0] > 0.0) slope[0] *= slope_of(r) / rows.counted();
    return slope[0] != 0.0;
  });
  if (ranks.any(stop.stop_requested())) return std::nullopt;
  ranks.sum(bound.slope);
  return bound;
}

}  // namespace hogwild::detail
