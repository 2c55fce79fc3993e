// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/advise.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/run/column_counts.hpp>

namespace hogwild {

namespace {

constexpr std::size_t rows_of_a_word = 64;  // one bit of a word for each
constexpr std::size_t compared_nonzeros = 1'000'000, most_compared = 4096;

/// Distinct rows, ascending; all of them if they are few.
std::vector<std::size_t> draw_rows(std::size_t rows, std::size_t wanted) {
  std::vector<std::size_t> drawn(std::min(rows, wanted));
  if (drawn.size() == rows) {
    std::iota(drawn.begin(), drawn.end(), std::size_t{0});
    return drawn;
  }
  // One row out of each of equally long runs: no row comes twice, and neighbours are no likelier than others.
  const counter_random random(1, 0x6d656574u);
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const std::size_t first = rows * k / drawn.size(), last = rows * (k + 1) / drawn.size();
    drawn[k] = first + random.below(k, last - first);
  }
  return drawn;
}

/// The sample's rows that are examined: half are spread over it, the others have the most frequent columns.
std::vector<std::size_t> rows_to_look_at(const sparse_view& data, std::span<const std::uint32_t> degree,
                                         std::span<const std::size_t> sample) {
  std::vector<std::size_t> chosen;
  const std::size_t spread = std::min(sample.size(), rows_of_a_word / 2);
  for (std::size_t k = 0; k < spread; ++k) chosen.push_back(sample[sample.size() * k / spread]);
  std::vector<std::pair<std::uint64_t, std::size_t>> by_degree;
  row_cursor cursor(data);
  for (const std::size_t r : sample) {
    std::uint64_t sum = 0;
    for (const std::uint32_t j : cursor.row(r).index) sum += degree[j];
    by_degree.emplace_back(sum, r);
  }
  const std::size_t most = std::min(sample.size(), rows_of_a_word - spread);
  std::ranges::partial_sort(by_degree, by_degree.begin() + static_cast<std::ptrdiff_t>(most), std::greater<>());
  for (std::size_t k = 0; k < most; ++k) chosen.push_back(by_degree[k].second);
  return chosen;
}

}  // namespace

row_meetings measure_meetings(const sparse_view& data) {
  const std::size_t rows = data.rows();
  // Rows that stream are not all read for the sake of a few.
  const bool streams = data.streams();
  if (!streams) data.ensure(0, rows);
  row_meetings found;
  for (std::size_t r = 0; r < rows; ++r)
    found.omega = std::max<std::uint64_t>(found.omega, data.row_start[r + 1] - data.row_start[r]);
  std::vector<std::uint32_t> counted;
  if (data.degree.empty()) counted = count_columns(data);
  const std::span<const std::uint32_t> degree = data.degree.empty() ? counted : data.degree;
  const auto all = static_cast<double>(rows);
  // The counts of a slice may be those of the whole.
  if (!degree.empty()) found.delta = std::min(1.0, static_cast<double>(*std::ranges::max_element(degree)) / all);

  const std::size_t fitting = compared_nonzeros * rows / std::max<std::size_t>(data.nonzeros(), 1);
  const std::vector<std::size_t> sample = draw_rows(rows, std::clamp(fitting, rows_of_a_word, most_compared));
  for (std::size_t k = 0; streams && k < sample.size(); ++k) data.ensure(sample[k], sample[k] + 1);
  const std::vector<std::size_t> looked_at = rows_to_look_at(data, degree, sample);
  std::vector<std::uint64_t> has(data.columns);
  row_cursor cursor(data);
  for (std::size_t k = 0; k < looked_at.size(); ++k) {
    for (const std::uint32_t j : cursor.row(looked_at[k]).index) has[j] |= std::uint64_t{1} << k;
  }
  std::array<std::size_t, rows_of_a_word> meets{};
  for (const std::size_t r : sample) {
    std::uint64_t met = 0;
    for (const std::uint32_t j : cursor.row(r).index) met |= has[j];
    for (; met != 0; met &= met - 1) ++meets[static_cast<std::size_t>(std::countr_zero(met))];
  }
  const auto compared = static_cast<double>(sample.size());
  const std::size_t spread = std::min(sample.size(), rows_of_a_word / 2);
  found.rho = static_cast<double>(*std::ranges::max_element(meets)) / compared;
  found.conflict_rate = static_cast<double>(std::accumulate(
                            meets.begin(), meets.begin() + static_cast<std::ptrdiff_t>(spread), std::size_t{0})) /
                        (compared * static_cast<double>(spread));
  found.looked_at = looked_at.size();
  found.compared_with = sample.size();
  // Hoeffding's inequality for each of the examined rows, and their union: 2 * 64 * exp(-2 n error^2) = 0.05.
  if (sample.size() < rows) found.error = std::sqrt(std::log(2.0 * rows_of_a_word / 0.05) / (2.0 * compared));
  return found;
}

}  // namespace hogwild
