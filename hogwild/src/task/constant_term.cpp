// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/constant_term.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild {

namespace {

constexpr std::size_t rows_of_sum = 1024, rows_in_pass = 256;
/// Fewer rows take less time than waking a team.
constexpr std::size_t rows_for_threads = 16'384;
/// A sum of derivatives below this fraction of the sum of their absolute values counts as 0.
constexpr double negligible = 1e-6;
constexpr int most_steps = 60, most_halves = 200;

/// Sums over each chunk, added in a fixed order for any number of threads. `of_chunk(first, last)` returns an array of
/// them.
template <std::size_t N, class Of>
std::array<double, N> sums_over(std::size_t rows, thread_team& threads, const Of& of_chunk) {
  const chunk_plan plan(rows, rows_of_sum);
  std::vector<std::array<double, N>> parts(plan.count());
  if (rows < rows_for_threads) {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = of_chunk(plan[i].first, plan[i].last);
  } else {
    ticket_counter next{};
    next.open(1, 0);
    threads.run([&](std::size_t) {
      while (const auto i = next.draw(1, plan.count())) parts[*i] = of_chunk(plan[*i].first, plan[*i].last);
    });
  }
  std::array<double, N> all{};
  for (const auto& part : parts)
    for (std::size_t k = 0; k < N; ++k) all[k] += part[k];
  return all;
}

/// Calls f(first, margins, n) with the complete margins of a few rows at a time.
template <class F>
void for_margins(const margins_of_rows& rows, std::size_t first, std::size_t last, float constant, const F& f) {
  std::array<float, rows_in_pass> margin;
  for (; first < last; first += rows_in_pass) {
    const std::size_t n = std::min(rows_in_pass, last - first);
    for (std::size_t i = 0; i < n; ++i) margin[i] = rows.margin[first + i] + constant;
    for (std::size_t i = 0; !rows.offset.empty() && i < n; ++i) margin[i] += rows.offset[first + i];
    f(first, margin.data(), n);
  }
}

double weight_of(const margins_of_rows& rows, std::size_t r) {
  return rows.weight.empty() ? 1.0 : static_cast<double>(rows.weight[r]);
}

/// The sum of all derivatives, and of their absolute values.
struct slopes {
  double sum, size;

  bool is_zero() const { return std::abs(sum) <= negligible * size; }
  bool is_finite() const { return std::isfinite(sum) && std::isfinite(size); }
};

/// The derivative of the objective with respect to the constant.
class slope_of_constant {
 public:
  slope_of_constant(const margin_loss& loss, const margins_of_rows& rows, const known_constant& known,
                    thread_team& threads, const rank_sums& sum)
      : loss_(loss), rows_(rows), known_(known), threads_(threads), sum_(sum) {
    std::array<double, 2> sums{};
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      sums[0] += weight_of(rows, r);
      sums[1] += weight_of(rows, r) * static_cast<double>(rows.label[r]);
    }
    if (sum_) sum_(sums);
    weight_ = sums[0];
    if (weight_ > 0.0)
      smoothness_ = loss.says_smoothness() ? loss.smoothness(sums[1] / weight_) : hogwild::smoothness(loss);
  }

  /// Whether any row counts.
  bool has_rows() const { return weight_ > 0.0; }
  /// An upper bound of the second derivative of the objective, at least near the fit.
  double most_curvature() const { return (weight_ + known_.rows_before) * std::max(smoothness_, 1e-30); }

  slopes at(float constant) const {
    std::array<double, 2> s = of_rows(rows_, constant);
    s[0] += left_out_.sum, s[1] += left_out_.size;
    if (sum_) sum_(s);
    const double pull =
        known_.rows_before * smoothness_ * (static_cast<double>(constant) - static_cast<double>(known_.value));
    return {s[0] + pull, s[1] + std::abs(pull)};
  }

  /// The sum of the absolute derivatives at margin 0.
  double size_at_nothing() const {
    const std::vector<float> nothing(rows_.rows());
    margins_of_rows without = rows_;
    without.margin = nothing;
    std::array<double, 2> s = of_rows(without, 0.0f);
    if (sum_) sum_(s);
    return s[1];
  }

  /// From now on only constants between these are evaluated: leaves out rows whose derivative is the same at both.
  /// Returns whether these were at least half of the rows.
  bool keep_between(float low, float high) {
    std::vector<float> margin, label, offset, weight;
    std::array<float, rows_in_pass> at_low, at_high;
    for_margins(rows_, 0, rows_.rows(), low, [&](std::size_t first, const float* at, std::size_t n) {
      loss_.derivatives(n, at, &rows_.label[first], at_low.data());
      for_margins(rows_, first, first + n, high, [&](std::size_t, const float* other, std::size_t) {
        loss_.derivatives(n, other, &rows_.label[first], at_high.data());
      });
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t r = first + i;
        if (at_low[i] == at_high[i]) {
          const double slope = weight_of(rows_, r) * static_cast<double>(at_low[i]);
          left_out_.sum += slope, left_out_.size += std::abs(slope);
          continue;
        }
        margin.push_back(rows_.margin[r]), label.push_back(rows_.label[r]);
        if (!rows_.offset.empty()) offset.push_back(rows_.offset[r]);
        if (!rows_.weight.empty()) weight.push_back(rows_.weight[r]);
      }
    });
    const bool half = 2 * margin.size() <= rows_.rows();
    kept_ = {std::move(margin), std::move(label), std::move(offset), std::move(weight)};
    rows_ = {kept_[0], kept_[1], kept_[2], kept_[3]};
    return half;
  }

 private:
  std::array<double, 2> of_rows(const margins_of_rows& rows, float constant) const {
    return sums_over<2>(rows.rows(), threads_, [&](std::size_t first, std::size_t last) {
      std::array<double, 2> s{};
      std::array<float, rows_in_pass> slope;
      for_margins(rows, first, last, constant, [&](std::size_t from, const float* margin, std::size_t n) {
        loss_.derivatives(n, margin, &rows.label[from], slope.data());
        for (std::size_t i = 0; i < n; ++i) {
          const double g = weight_of(rows, from + i) * static_cast<double>(slope[i]);
          s[0] += g, s[1] += std::abs(g);
        }
      });
      return s;
    });
  }

  const margin_loss& loss_;
  margins_of_rows rows_;
  const known_constant& known_;
  thread_team& threads_;
  const rank_sums& sum_;
  slopes left_out_{0.0, 0.0};
  std::array<std::vector<float>, 4> kept_{};
  double weight_ = 0.0, smoothness_ = 1.0;
};

struct point {
  float place;
  slopes slope;

  bool falls() const { return slope.sum < 0.0; }
  double at() const { return static_cast<double>(place); }
};

/// Moves `from` by about `way`, and at least to the next float.
float moved(float from, double way) {
  const auto to = static_cast<float>(static_cast<double>(from) + way);
  constexpr float far = std::numeric_limits<float>::max();
  return to != from ? to : std::nextafter(from, way < 0.0 ? -far : far);
}

/// The next step, from `at`; it is at most most_growth times as long as `way`.
double next_way(const point& before, const point& at, double way) {
  constexpr double most_growth = 8.0;
  const double change = at.slope.sum - before.slope.sum;
  const double secant = change == 0.0 ? 0.0 : -at.slope.sum * (at.at() - before.at()) / change;
  const bool onwards = secant != 0.0 && (secant > 0.0) == (way > 0.0);  // otherwise it is flat, or curves the other way
  const double most = most_growth * std::abs(way);
  return std::copysign(onwards ? std::min(std::abs(secant), most) : most, way);
}

/// The root between a point where the objective falls and one where it rises.
float root_between(slope_of_constant& slope, point low, point high) {
  const double narrow = 6e-8 * std::max({std::abs(low.at()), std::abs(high.at()), high.at() - low.at()});
  double at_low = low.slope.sum, at_high = high.slope.sum;
  std::optional<bool> was_low;
  bool has_kinks = true;
  constexpr float far = std::numeric_limits<float>::max();
  for (int i = 0; i < most_halves; ++i) {
    const float first = std::nextafter(low.place, far), last = std::nextafter(high.place, -far);
    if (first > last || high.at() - low.at() <= narrow) break;
    if (has_kinks && i % 6 == 5) has_kinks = slope.keep_between(low.place, high.place);
    const double part = i % 3 == 2 ? 0.5 : -at_low / (at_high - at_low);
    const auto place = static_cast<float>(low.at() + part * (high.at() - low.at()));
    const point between{std::clamp(place, first, last), slope.at(std::clamp(place, first, last))};
    if (between.slope.is_zero()) return between.place;
    // If one side stays the same twice, its slope counts half, so that the next secant passes the root.
    const double stays = std::exchange(was_low, between.falls()) == between.falls() ? 0.5 : 1.0;
    if (between.falls())
      low = between, at_low = low.slope.sum, at_high *= stays;
    else
      high = between, at_high = high.slope.sum, at_low *= stays;
  }
  return -low.slope.sum <= high.slope.sum ? low.place : high.place;
}

template <class Sum>
double losses_by_chunks(const margins_of_rows& rows, float constant, thread_team& threads, const Sum& of_few) {
  return sums_over<1>(rows.rows(), threads, [&](std::size_t first, std::size_t last) {
    std::array<double, 1> sum{};
    for_margins(rows, first, last, constant,
                [&](std::size_t from, const float* margin, std::size_t n) { of_few(sum[0], from, margin, n); });
    return sum;
  })[0];
}

}  // namespace

float minimise_constant(const margin_loss& loss, const margins_of_rows& rows, const known_constant& known,
                        thread_team& threads, const rank_sums& sum) {
  slope_of_constant slope(loss, rows, known, threads, sum);
  if (!slope.has_rows()) return known.value;
  point at{known.value, slope.at(known.value)};
  if (!at.slope.is_finite()) return known.value;
  std::optional<double> least;  // set if all rows push in the same direction
  const auto is_far_enough = [&](const slopes& s) {
    if (std::abs(s.sum) != s.size) return false;
    if (!least) least = negligible * slope.size_at_nothing();
    return s.size <= *least;
  };
  // A loss of this smoothness has its minimum there or beyond.
  double way = -at.slope.sum / slope.most_curvature();
  for (int i = 0; i < most_steps; ++i) {
    if (at.slope.is_zero() || is_far_enough(at.slope)) return at.place;
    const float place = moved(at.place, way);
    const point next{place, slope.at(place)};
    if (!std::isfinite(place) || !next.slope.is_finite()) return known.value;
    if (!next.slope.is_zero() && next.falls() != at.falls())
      return at.falls() ? root_between(slope, at, next) : root_between(slope, next, at);
    way = next_way(at, next, way);
    at = next;
  }
  return known.value;
}

float lower_constant(const margin_loss& loss, const margins_of_rows& rows, const known_constant& known,
                     thread_team& threads, const rank_sums& sum) {
  const float found = minimise_constant(loss, rows, known, threads, sum);
  if (found == known.value || known.rows_before > 0.0) return found;
  std::array<double, 2> losses{sum_of_losses(loss, rows, known.value, threads),
                               sum_of_losses(loss, rows, found, threads)};
  if (sum) sum(losses);
  constexpr double rounding = 1e-6;
  return losses[1] > losses[0] + rounding * std::abs(losses[0]) ? known.value : found;
}

double sum_of_losses(const margin_loss& loss, const margins_of_rows& rows, float constant, thread_team& threads) {
  return losses_by_chunks(rows, constant, threads,
                          [&](double& sum, std::size_t from, const float* margin, std::size_t n) {
                            std::array<double, rows_in_pass> losses;
                            loss.losses(n, margin, &rows.label[from], losses.data());
                            for (std::size_t i = 0; i < n; ++i) sum += weight_of(rows, from + i) * losses[i];
                          });
}

}  // namespace hogwild
