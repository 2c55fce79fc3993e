// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// All targets, in the form in which blocks of sources are scored against every one of them. Never changed once it is
/// filled, so any number of threads may use it.
class target_table {
 public:
  /// `targets` rows of `width` floats, a multiple of embedding_lanes, one behind the other, and what is added to the
  /// score of each, or nothing. With `by_length` rows are divided by their lengths.
  target_table(std::span<const float> rows, std::size_t width, std::span<const float> added, bool by_length, isa set);

  std::size_t size() const { return targets_; }
  std::size_t width() const { return width_; }

  /// Scores `n` sources, rows of width() floats that begin on a cache line, against the `count` targets from `first`
  /// on, both multiples of 16, up to padded_size(). `to` gets n rows of `count` floats; targets beyond size() score
  /// minus infinity.
  void score(const float* sources, std::size_t n, std::size_t first, std::size_t count, float* to) const;
  std::size_t padded_size() const { return padded_; }

  /// Calls f(first, count) for pieces of all targets whose scores stay in a cache.
  template <class F>
  void for_pieces(const F& f) const {
    for (std::size_t first = 0; first < padded_; first += piece) f(first, std::min(piece, padded_ - first));
  }
  static constexpr std::size_t piece = 2048;

  const embedding_kernels& kernels() const { return kernels_; }

 private:
  const embedding_kernels& kernels_;
  std::size_t targets_, width_, padded_;
  lined_floats columns_, added_;
};

/// How many of the scores, of which there is a multiple of 16, are above `score`; equal ones count half.
double count_above(const embedding_kernels& kernels, std::span<const float> scores, float score);

/// A target and its score.
struct scored_target {
  std::uint32_t target;
  float score;
};

/// The targets with the highest scores, the best first; of equal scores the smaller number first. Scores of minus
/// infinity, and those that are no numbers, are left out.
class best_targets {
 public:
  explicit best_targets(std::size_t most = 0) : most_(most) {}

  /// Adds the scores of targets from `first` on, of which there is a multiple of 16; all calls in ascending order.
  void offer(const embedding_kernels& kernels, std::size_t first, std::span<const float> scores);
  /// Puts them in order; called once, after the last offer.
  void finish() { std::ranges::sort_heap(best_, is_better); }
  std::span<const scored_target> list() const { return best_; }

 private:
  static bool is_better(const scored_target& a, const scored_target& b) {
    return a.score != b.score ? a.score > b.score : a.target < b.target;
  }

  std::size_t most_;
  std::vector<scored_target> best_{};  ///< a heap, the worst in front; in order once they are finished
};

}  // namespace hogwild
