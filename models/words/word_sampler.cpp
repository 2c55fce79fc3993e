// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/word_sampler.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <hogwild/detail/data/row_cursor.hpp>

namespace hogwild {

std::vector<std::uint32_t> occurrences(const sparse_view& data) {
  if (data.degree.size() == data.columns) return {data.degree.begin(), data.degree.end()};
  std::vector<std::uint32_t> count(data.columns);
  row_cursor cursor(data);
  for (std::size_t r = 0; r < data.rows(); ++r)
    for (const std::uint32_t word : cursor.row(r).index) ++count[word];
  return count;
}

word_sampler::word_sampler(std::span<const std::uint32_t> counts, double sample)
    : keep_(counts.size(), 1.0f), table_(std::max<std::size_t>(counts.size(), 1)) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (sample > 0.0) {
    for (std::size_t w = 0; w < counts.size(); ++w) {
      const double ratio = sample * all / std::max(1.0, static_cast<double>(counts[w]));
      keep_[w] = static_cast<float>(std::min(1.0, std::sqrt(ratio) + ratio));
    }
  }

  // Columns that are too small are filled up from one that is too large, until all are equal (Vose 1991).
  std::vector<double> mass(table_.size(), 1.0);
  std::ranges::transform(counts, mass.begin(), [](std::uint32_t n) { return std::pow(static_cast<double>(n), 0.75); });
  const double sum = std::accumulate(mass.begin(), mass.end(), 0.0);
  const double scale = sum > 0.0 ? static_cast<double>(mass.size()) / sum : 0.0;
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t w = 0; w < mass.size(); ++w) {
    mass[w] = scale > 0.0 ? mass[w] * scale : 1.0;
    (mass[w] < 1.0 ? small : large).push_back(w);
  }
  constexpr double chances = 0x1p32;
  while (!small.empty() && !large.empty()) {
    const std::uint32_t w = small.back(), other = large.back();
    small.pop_back();
    table_[w] = {w, other, static_cast<std::uint32_t>(std::min(mass[w] * chances, chances - 1.0))};
    mass[other] -= 1.0 - mass[w];
    if (mass[other] >= 1.0) continue;
    large.pop_back();
    small.push_back(other);
  }
  for (const auto* const rest : {&small, &large})
    for (const std::uint32_t w : *rest) table_[w] = {w, w, 0xffffffffu};
}

}  // namespace hogwild
