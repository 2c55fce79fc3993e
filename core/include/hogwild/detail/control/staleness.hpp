// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hogwild {

/// Staleness of an update: rows that other workers finished between its read and its write. Sampled values are counted
/// in buckets, which are exact up to 3 and split each larger power of two in half.
struct staleness_histogram {
  static constexpr std::size_t buckets = 64;

  static constexpr std::size_t bucket(std::uint64_t rows) {
    if (rows < 2) return static_cast<std::size_t>(rows);
    const auto log = static_cast<std::size_t>(std::bit_width(rows) - 1);
    const std::size_t i = 2 * log + ((rows >> (log - 1)) & 1);
    return i < buckets ? i : buckets - 1;
  }
  /// The smallest value in a bucket.
  static constexpr std::uint64_t value(std::size_t i) {
    return i < 2 ? i : (std::uint64_t{2} + (i & 1)) << (i / 2 - 1);
  }

  /// The smallest value such that at least `fraction` of the samples are not above its bucket; 0 without samples.
  static std::uint64_t quantile(std::span<const std::uint64_t> counts, double fraction) {
    std::uint64_t total = 0, seen = 0;
    for (const std::uint64_t c : counts) total += c;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      seen += counts[i];
      if (seen > 0 && static_cast<double>(seen) >= fraction * static_cast<double>(total)) return value(i);
    }
    return 0;
  }
};

}  // namespace hogwild
