// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace hogwild::detail {

struct index_range {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// The elements, of n, that a rank sums: ranges of nearly equal length that begin on cache lines if the array does.
inline index_range part_of(std::size_t n, std::size_t rank, std::size_t size) {
  constexpr std::size_t line = 32;
  const std::size_t lines = (n + line - 1) / line;
  return {std::min(n, lines * rank / size * line), std::min(n, lines * (rank + 1) / size * line)};
}

template <class T>
void add_to(T* __restrict sum, const T* __restrict x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sum[i] += x[i];
}

/// For the elements of `range`, every target becomes the sum of the sources, in their order. A target may be one of the
/// sources. The loop goes by blocks that fit into the first level cache, so that memory is read and written once.
template <class T>
void sum_in_order(std::span<const T* const> sources, std::span<T* const> targets, index_range range) {
  constexpr std::size_t block = 512;
  alignas(64) std::array<T, block> sum;
  for (std::size_t at = range.begin; at < range.end; at += block) {
    const std::size_t n = std::min(block, range.end - at);
    std::copy_n(sources[0] + at, n, sum.data());
    for (const T* source : sources.subspan(1)) add_to(sum.data(), source + at, n);
    for (T* target : targets) std::copy_n(sum.data(), n, target + at);
  }
}

}  // namespace hogwild::detail
