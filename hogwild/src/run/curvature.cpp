// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/curvature.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/math/random.hpp>

namespace hogwild {

namespace {

constexpr std::size_t most_sampled_rows = 2'000, most_nonzeros = 50'000;
constexpr int iterations = 15;

std::size_t sampled_rows(const sparse_view& data) {
  const std::size_t fitting = most_nonzeros * data.rows() / std::max<std::size_t>(data.nonzeros(), 1);
  return std::min({data.rows(), most_sampled_rows, std::max<std::size_t>(fitting, 100)});
}

double widened(float x) {
  return static_cast<double>(x);
}
double widened(half x) {
  return static_cast<double>(to_float(x));
}

}  // namespace

double smoothness(const margin_loss& loss) {
  float most = 0.0f;
  for (const float label : {-1.0f, 1.0f}) {
    for (float m = -8.0f; m <= 8.0f; m += 0.25f) {
      most = std::max(most, std::abs(loss.derivative(m + 0.5f, label) - loss.derivative(m - 0.5f, label)));
    }
  }
  return static_cast<double>(most);
}

double smoothness(const margin_loss& loss, const label_column& labels) {
  if (!loss.says_smoothness()) return smoothness(loss);
  double sum = 0.0;
  for (const double label : labels) sum += label;
  return loss.smoothness(sum / static_cast<double>(std::max<std::size_t>(labels.size(), 1)));
}

sparse_view first_rows_of(const sparse_view& data, std::size_t least) {
  constexpr std::size_t nonzeros = 1'000'000;
  const std::size_t rows = data.rows();
  const std::size_t by_work = nonzeros * rows / std::max<std::size_t>(data.nonzeros(), 1);
  return data.slice(0, std::min(rows, std::max(by_work, least)));
}

entry_squares squares_of_entries(const sparse_view& data) {
  const sparse_view sample = first_rows_of(data);
  sample.ensure(0, sample.rows());
  std::array<double, 4> sums{}, counts{};  // independent sums, so that none waits for another
  with_row_types(sample, [&]<class Index, class Value>() {
    const Value* const value = batch_on<Index, Value>(sample).value;
    for (std::size_t k = sample.row_start.front(); k < sample.row_start[sample.rows()]; ++k) {
      const double x = widened(value[k]);
      sums[k % sums.size()] += x * x;
      counts[k % sums.size()] += x != 0.0 ? 1.0 : 0.0;
    }
  });
  return {.sum = (sums[0] + sums[1]) + (sums[2] + sums[3]),
          .entries = (counts[0] + counts[1]) + (counts[2] + counts[3]),
          .rows = static_cast<double>(sample.rows())};
}

double largest_eigenvalue(const sparse_view& data, double bias, const std::stop_token& stop) {
  const std::size_t rows = sampled_rows(data);
  data.ensure(0, rows);
  row_cursor cursor(data);
  // X X' has the eigenvalues of X'X and needs no pass over all columns. The random start is not orthogonal to any
  // structure of the data.
  const counter_random start(1, 0x65696765u);
  std::vector<double> u(rows), column(data.columns), root(rows, 1.0);
  for (std::size_t r = 0; r < rows; ++r) u[r] = start.uniform(r) - 0.25;
  if (!data.weight.empty())
    std::ranges::transform(data.weight.first(rows), root.begin(), [](float w) { return std::sqrt(double{w}); });
  double eigenvalue = 0.0;
  for (int i = 0; i < iterations; ++i) {
    double before = 0.0, after = 0.0, ones = 0.0;
    for (std::size_t r = 0; r < rows; ++r) {
      if (stop.stop_requested()) return eigenvalue;
      for (const auto [j, x] : cursor.row(r)) column[j] += root[r] * u[r] * static_cast<double>(x);
      ones += bias * root[r] * u[r];
      before += u[r] * u[r];
    }
    for (std::size_t r = 0; r < rows; ++r) {
      if (stop.stop_requested()) return eigenvalue;
      double product = ones;
      for (const auto [j, x] : cursor.row(r)) product += column[j] * static_cast<double>(x);
      u[r] = root[r] * product;
      after += u[r] * u[r];
    }
    if (after == 0.0) return 0.0;
    eigenvalue = std::sqrt(after / before) / static_cast<double>(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      for (const std::uint32_t j : cursor.row(r).index) column[j] = 0.0;
      u[r] /= std::sqrt(after);
    }
  }
  return eigenvalue;
}

}  // namespace hogwild
