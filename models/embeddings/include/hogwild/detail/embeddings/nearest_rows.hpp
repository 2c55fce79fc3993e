// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/embeddings/target_table.hpp>

namespace hogwild {

/// The length of a vector; 1 if all its numbers are 0.
float length_of(std::span<const float> row);

/// Rows of numbers, among which the nearest are found: those with the largest cosine. Nothing changes it, so any number
/// of threads may use it.
class nearest_rows {
 public:
  /// Rows of `width` > 0 numbers, one behind the other, which outlive this. The last `unseen` of them are asked about,
  /// and never found. The cosine with a row of zeros is 0.
  nearest_rows(std::span<const float> rows, std::size_t width, std::size_t unseen = 0);

  /// For each of these rows the `top` nearest ones, but not itself, the nearest first, and of equally near ones the one
  /// that stands first. All CPUs work on it.
  std::vector<std::vector<scored_target>> of(std::span<const std::uint32_t> asked, std::size_t top) const;

 private:
  std::span<const float> row(std::size_t k) const { return rows_.subspan(k * width_, width_); }

  std::span<const float> rows_;
  std::size_t width_;
  target_table table_;
};

}  // namespace hogwild
