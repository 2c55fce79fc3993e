// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hogwild::detail {

/// The group of each row, and the names of the groups, in the order of their first rows. Used by one thread at a time.
class stated_groups {
 public:
  bool any() const { return !of_row_.empty(); }
  std::span<const std::uint32_t> of_row() const { return of_row_; }
  const std::vector<std::string>& names() const { return names_; }

  /// States the group of this row, which follows all that have one. Rows passed over belong to the group "".
  void state(std::size_t row, std::string_view name);
  /// Appends those of `rows` rows behind `before` ones.
  void append(const stated_groups& others, std::size_t before, std::size_t rows);

  /// As words of a cache; `any()`.
  void encode(std::vector<std::uint64_t>& words) const;
  /// Takes the groups of `rows` rows from the beginning of `words`. Nothing if they are not there.
  static std::optional<stated_groups> decode(std::span<const std::uint64_t>& words, std::size_t rows);

 private:
  struct bytes_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };

  std::uint32_t number_of(std::string_view name);
  void fill(std::size_t rows);

  std::vector<std::uint32_t> of_row_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, bytes_hash, std::equal_to<>> numbers_;  ///< of the names
};

/// What a text states of its rows beside labels and entries, in the order of the text. Each array is empty if no row
/// has such a number.
struct stated_numbers {
  std::vector<float> weight{};  ///< 1 for a row without one
  std::vector<float> offset{};  ///< 0 for a row without one
  std::vector<double> time{};   ///< when a pair occurred; 0 for a row without one
  stated_groups groups{};
  std::uint64_t left_out = 0;  ///< labels that the training data do not have, of rows that have others

  bool any() const { return !weight.empty() || !offset.empty() || !time.empty() || groups.any() || left_out > 0; }
  /// Appends those of `rows` rows behind `before` ones.
  void append(const stated_numbers& others, std::size_t before, std::size_t rows);

  /// As words of a cache.
  std::vector<std::uint64_t> encode() const;
  /// Takes those of `rows` rows from the beginning of `words`, which then begin behind them. Nothing if they are not
  /// there.
  static std::optional<stated_numbers> decode(std::span<const std::uint64_t>& words, std::size_t rows);
};

}  // namespace hogwild::detail
