// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/window_outputs.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

word_sampler::word_sampler(std::span<const std::uint32_t> counts, double sample) : keep_(counts.size(), 1.0f) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (sample > 0.0) {
    for (std::size_t w = 0; w < counts.size(); ++w) {
      const double ratio = sample * all / std::max(1.0, static_cast<double>(counts[w]));
      keep_[w] = static_cast<float>(std::min(1.0, std::sqrt(ratio) + ratio));
    }
  }

  std::vector<double> mass(std::max<std::size_t>(counts.size(), 1), 1.0);
  std::ranges::transform(counts, mass.begin(), [](std::uint32_t n) { return std::pow(static_cast<double>(n), 0.75); });
  table_ = alias_table(std::move(mass));
}

huffman_tree word_tree(std::span<const std::uint32_t> counts) {
  std::vector<std::uint64_t> weights(counts.size());
  std::ranges::transform(counts, weights.begin(),
                         [](std::uint32_t n) { return static_cast<std::uint64_t>(static_cast<float>(n)); });
  return huffman_tree(weights);
}

}  // namespace hogwild
