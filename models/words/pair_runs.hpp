// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <vector>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// A pair of words that stood near each other, and how near and often.
struct pair_count {
  std::uint64_t key = 0;    ///< of key_of(): a table by its first bits, and an order by it, are as good as random
  std::uint64_t count = 0;  ///< > 0

  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u, inverse = 0xf1de83e19937733du;
  static_assert(factor * inverse == 1);

  static constexpr std::uint64_t key_of(std::uint32_t a, std::uint32_t b) {
    return folded(folded(folded((std::uint64_t{a} << 32) | b) * factor) * factor);
  }
  std::array<std::uint32_t, 2> words() const {
    const std::uint64_t both = folded(folded(folded(key) * inverse) * inverse);
    return {static_cast<std::uint32_t>(both >> 32), static_cast<std::uint32_t>(both)};
  }

 private:
  static constexpr std::uint64_t folded(std::uint64_t x) { return x ^ (x >> 32); }  ///< its own inverse
};

/// Pairs with their counts, in parts by the first bits of their keys: in memory, or beyond a limit in an unnamed file.
class pair_runs {
 public:
  static constexpr unsigned part_bits = 10;
  static constexpr std::size_t parts = std::size_t{1} << part_bits;
  static std::size_t part_of(const pair_count& pair) { return pair.key >> (64 - part_bits); }

  /// The file is in `folder`; without one, or if it allows none, all pairs stay in memory.
  pair_runs(std::uint64_t memory, std::filesystem::path folder);

  /// Adds pairs by ascending part; a pair may occur several times. Any thread may call it. Throws resource_error.
  void add(std::vector<pair_count> pairs);
  /// The pairs of a part, each once, by ascending key. Any thread may call it, once none adds. Throws resource_error.
  std::vector<pair_count> pairs(std::size_t part) const;
  bool in_file() const { return bool(fd_); }

 private:
  /// Pairs by parts: part p begins at start[p]. They lie in the file from `offset` on if `pairs` is empty.
  struct run {
    std::vector<pair_count> pairs{};
    std::array<std::uint64_t, parts + 1> start{};
    std::uint64_t offset = 0;
  };

  void spill();
  void read(std::uint64_t offset, std::span<pair_count> to) const;

  std::uint64_t memory_;
  std::filesystem::path folder_;
  std::mutex mutex_;
  std::vector<run> runs_;
  std::uint64_t held_ = 0, written_ = 0;  ///< bytes
  unique_fd fd_;
};

}  // namespace hogwild::detail
