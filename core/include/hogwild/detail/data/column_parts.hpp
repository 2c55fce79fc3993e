// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// What columns consist of besides themselves, as words do of shorter runs of letters, and users and items of features.
/// A dataset file holds it, so that all workers and processes read one copy. Borrows the numbers.
struct column_parts {
  std::size_t parts = 0;                   ///< how many different parts there are
  std::span<const std::uint32_t> start{};  ///< a place in `number` for each column, and its end; empty: none have parts
  std::span<const std::uint32_t> number{};  ///< of parts, each below `parts`; a column may have one several times
  std::span<const float> weight{};          ///< of each of these, finite; empty: all are 1

  std::span<const std::uint32_t> of(std::size_t column) const {
    return number.subspan(start[column], start[column + 1] - start[column]);
  }
  std::span<const float> weights_of(std::size_t column) const {
    return weight.subspan(start[column], start[column + 1] - start[column]);
  }
};

/// The parts of the columns of these rows; none if the rows are of no file that has them. Throws cache_error if the
/// file is damaged.
column_parts parts_of(const sparse_view& rows);

namespace detail {

/// Converts parts to 64-bit words, for files, and back. Decoding returns nothing if the words are not what
/// encode_parts() makes for so many columns.
std::vector<std::uint64_t> encode_parts(const column_parts& parts);
std::optional<column_parts> decode_parts(std::span<const std::uint64_t> words, std::size_t columns);

}  // namespace detail
}  // namespace hogwild
