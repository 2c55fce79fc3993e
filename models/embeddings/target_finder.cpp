// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/target_finder.hpp>

#include <algorithm>
#include <limits>

namespace hogwild {

void target_finder::find(std::span<const std::span<const std::uint32_t>> left_out) {
  const std::size_t n = left_out.size();
  best_.assign(n, best_targets(most_));
  table_.for_pieces([&](std::size_t first, std::size_t count) {
    table_.score(sources_.data(), n, first, count, scores_.data());
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<float> scores = scores_.part(i * count, count);
      for (auto t = std::ranges::lower_bound(left_out[i], first); t != left_out[i].end() && *t < first + count; ++t)
        scores[*t - first] = -std::numeric_limits<float>::infinity();
      best_[i].offer(table_.kernels(), first, scores);
    }
  });
}

}  // namespace hogwild
