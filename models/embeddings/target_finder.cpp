// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/target_finder.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "platform/tbb_arena.hpp"

namespace hogwild {

void target_finder::find(std::span<const std::span<const std::uint32_t>> left_out,
                         std::span<const std::span<const std::uint32_t>> wanted) {
  const std::size_t n = left_out.size();
  best_.assign(n, best_targets(most_));
  above_.assign(n, 0.0);
  std::vector<std::vector<float>> score_of(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (const std::uint32_t t : wanted[i]) {
      table_.score(source(i).data(), 1, t / embedding_lanes * embedding_lanes, embedding_lanes, scores_.data());
      score_of[i].push_back(scores_.data()[t % embedding_lanes]);
    }
    above_[i] = -0.5 * static_cast<double>(wanted[i].size());  // each counts itself
  }
  table_.for_pieces([&](std::size_t first, std::size_t count) {
    table_.score(sources_.data(), n, first, count, scores_.data());
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<float> scores = scores_.part(i * count, count);
      for (auto t = std::ranges::lower_bound(left_out[i], first); t != left_out[i].end() && *t < first + count; ++t)
        scores[*t - first] = -std::numeric_limits<float>::infinity();
      best_[i].offer(table_.kernels(), first, scores);
      if (!wanted.empty())
        for (const float score : score_of[i]) above_[i] += count_above(table_.kernels(), scores, score);
    }
  });
  for (best_targets& best : best_) best.finish();
}

void find_for_all(const target_table& table, std::size_t most, const asked_sources& asked) {
  const auto find_block = [&](std::size_t block) {
    const std::size_t first = block * target_finder::most_sources;
    const std::size_t n = std::min(target_finder::most_sources, asked.count - first);
    target_finder finder(table, most);
    std::vector<std::span<const std::uint32_t>> left_out;
    for (std::size_t i = 0; i < n; ++i) {
      asked.write(first + i, finder.source(i));
      left_out.push_back(asked.left_out(first + i));
    }
    finder.find(left_out);
    for (std::size_t i = 0; i < n; ++i) asked.found(first + i, finder.best(i));
  };
  const std::size_t blocks = (asked.count + target_finder::most_sources - 1) / target_finder::most_sources;
  if (blocks == 1) return find_block(0);
  detail::with_tbb_threads({}, [&] { tbb::parallel_for(std::size_t{0}, blocks, find_block); });
}

}  // namespace hogwild
