// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hogwild::detail {

/// Numbers that a text states for its rows beside labels and entries, in the order of the text. Each array is empty if
/// no row has such a number.
struct stated_numbers {
  std::vector<float> weight{};  ///< 1 for a row without one
  std::vector<float> offset{};  ///< 0 for a row without one

  bool any() const { return !weight.empty() || !offset.empty(); }
  /// Appends those of `rows` rows behind `before` ones.
  void append(const stated_numbers& others, std::size_t before, std::size_t rows);

  /// As words of a cache.
  std::vector<std::uint64_t> encode() const;
  /// Takes those of `rows` rows from the beginning of `words`, which then begin behind them. Nothing if they are not
  /// there.
  static std::optional<stated_numbers> decode(std::span<const std::uint64_t>& words, std::size_t rows);
};

}  // namespace hogwild::detail
