// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/target_table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hogwild {
namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();

}  // namespace

target_table::target_table(std::span<const float> rows, std::size_t width, std::span<const float> added, bool by_length,
                           isa set)
    : kernels_(embedding_kernels_of(set)),
      targets_(rows.size() / width),
      width_(width),
      padded_(padded_to_lanes(targets_)),
      columns_(padded_ * width),
      added_(padded_) {
  lined_floats sixteen(embedding_lanes * width);
  for (std::size_t first = 0; first < padded_; first += embedding_lanes) {
    for (std::size_t j = 0; j < embedding_lanes; ++j) {
      const std::span<float> to = sixteen.part(j * width, width);
      if (first + j >= targets_) {
        std::ranges::fill(to, 0.0f);
        continue;
      }
      std::ranges::copy(rows.subspan((first + j) * width, width), to.begin());
      if (!by_length) continue;
      const float square = kernels_.dot(to.data(), to.data(), width);
      const float inverse = square > 0.0f ? 1.0f / std::sqrt(square) : 1.0f;
      for (float& x : to) x *= inverse;
    }
    kernels_.columns_into_panels(sixteen.data(), embedding_lanes, width, columns_.data() + first * width);
  }
  for (std::size_t j = 0; j < padded_; ++j)
    added_.data()[j] = j >= targets_ ? nothing : added.empty() ? 0.0f : added[j];
}

void target_table::score(const float* sources, std::size_t n, std::size_t first, std::size_t count, float* to) const {
  kernels_.product(n, count, width_, sources, width_, 1, columns_.data() + first * width_, to, count, false);
  for (std::size_t i = 0; i < n; ++i) kernels_.add_scaled(1.0f, added_.data() + first, to + i * count, count);
}

double count_above(const embedding_kernels& kernels, std::span<const float> scores, float score) {
  const float below = std::nextafter(score, nothing);
  return 0.5 * static_cast<double>(kernels.count_above(scores.data(), scores.size(), score) +
                                   kernels.count_above(scores.data(), scores.size(), below));
}

void best_targets::offer(const embedding_kernels& kernels, std::size_t first, std::span<const float> scores) {
  constexpr std::size_t piece = 256;
  if (most_ == 0) return;
  for (std::size_t at = 0; at < scores.size(); at += piece) {
    const std::span<const float> part = scores.subspan(at, std::min(piece, scores.size() - at));
    // Scores at most this are not among the best.
    float bound = best_.size() == most_ ? best_.front().score : nothing;
    if (kernels.count_above(part.data(), part.size(), bound) == 0) continue;
    for (std::size_t j = 0; j < part.size(); ++j) {
      if (!(part[j] > bound)) continue;
      if (best_.size() == most_) {
        std::ranges::pop_heap(best_, is_better);
        best_.pop_back();
      }
      best_.push_back({static_cast<std::uint32_t>(first + at + j), part[j]});
      std::ranges::push_heap(best_, is_better);
      if (best_.size() == most_) bound = best_.front().score;
    }
  }
}

}  // namespace hogwild
