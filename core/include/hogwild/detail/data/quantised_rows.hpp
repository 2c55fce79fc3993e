// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hogwild {

/// Rows of numbers by product quantisation (Jégou, Douze and Schmid, Product quantization for nearest neighbor search,
/// 2011): a row is cut into parts of some adjacent numbers. What a part says is the number of one of up to 256
/// centroids, which belong to this place of all rows.
struct quantised_rows {
  std::size_t width = 0;                     ///< numbers of a row; 0: there are no such rows
  std::size_t part = 1;                      ///< numbers of a part, up to `longest_part`; the last one may be shorter
  std::vector<float> centroids{};            ///< those of the first part, one after the other, then those of the next
  std::vector<std::uint8_t> codes{};         ///< of each row one for each part
  std::vector<float> lengths{};              ///< up to 256 factors of rows; empty: rows are not scaled
  std::vector<std::uint8_t> length_codes{};  ///< of each row the one of `lengths`

  static constexpr std::size_t longest_part = 16, most_centroids = 256;

  explicit operator bool() const { return width > 0; }
  std::size_t parts() const { return (width + part - 1) / part; }
  std::size_t rows() const { return codes.size() / parts(); }
  /// How many centroids a part chooses from.
  std::size_t choices() const { return centroids.size() / width; }
  /// Where the centroids of a part begin, and how many numbers each has.
  std::size_t begin_of(std::size_t p) const { return choices() * p * part; }
  std::size_t size_of(std::size_t p) const { return std::min(part, width - p * part); }

  /// The rows that these stand for, one after the other. Needs an empty fault().
  std::vector<float> decoded() const;
  /// The reason why these are not `count` rows of finite numbers, as the end of a sentence; empty if they are.
  std::string fault(std::size_t count) const;

  bool operator==(const quantised_rows&) const = default;
};

}  // namespace hogwild
