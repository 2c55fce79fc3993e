// SPDX-License-Identifier: Apache-2.0
#include "data/row_block.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include <hogwild/rows.hpp>

#include "data/entry_piece.hpp"

namespace hogwild::detail {
namespace {

struct range_of_rows {
  std::size_t first = 0, last = 0;
};

/// Splits rows so that no part has more entries than a block, unless a single row has.
template <class Start>
std::vector<range_of_rows> cut(std::span<const Start> start) {
  std::vector<range_of_rows> parts;
  const std::size_t rows = start.empty() ? 0 : start.size() - 1;
  for (std::size_t first = 0, last = 0; first < rows; first = last) {
    const std::uint64_t end = static_cast<std::uint64_t>(start[first]) + entries_of_block;
    for (last = first + 1; last < rows && last - first < rows_of_block; ++last)
      if (static_cast<std::uint64_t>(start[last + 1]) > end) break;
    parts.push_back({first, last});
  }
  return parts;
}

/// By the bits: the exponents of numbers that are not finite are all ones.
bool is_finite(float x) {
  return (std::bit_cast<std::uint32_t>(x) & 0x7f800000u) != 0x7f800000u;
}

/// Facts about the entries of several rows.
struct seen_entries {
  std::uint32_t largest = 0;  ///< largest column
  std::uint32_t falls = 0;    ///< entries whose column is not above that of the previous entry
  std::uint32_t no_numbers = 0;
};

/// One loop without branches, which compilers vectorise.
seen_entries see(std::span<const std::uint32_t> index, std::span<const float> value) {
  if (index.empty()) return {};
  std::uint32_t largest = index[0], falls = 0, no_numbers = is_finite(value[0]) ? 0 : 1;
  for (std::size_t k = 1; k < index.size(); ++k) {
    largest = index[k] > largest ? index[k] : largest;
    falls += index[k] <= index[k - 1] ? 1 : 0;
    no_numbers += is_finite(value[k]) ? 0 : 1;
  }
  return {largest, falls, no_numbers};
}

bool all_finite(std::span<const float> numbers) {
  return std::ranges::all_of(numbers, is_finite);
}

bool all_weights(std::span<const float> weight) {
  return std::ranges::all_of(weight, [](float x) { return std::isfinite(x) && x >= 0.0f; });
}

/// Takes rows [part.first, part.last); false if the columns of one do not ascend.
template <class Start>
bool take_rows(std::span<const Start> start, range_of_rows part, std::span<const std::uint32_t> index,
               std::uint32_t falls, row_block& block) {
  block.row_end.reserve(part.last - part.first);
  std::uint32_t between_rows = 0;
  std::size_t place = 0;
  for (std::size_t r = part.first; r < part.last; ++r) {
    const auto end = static_cast<std::size_t>(start[r + 1] - start[part.first]);
    if (place > 0 && place < end) between_rows += index[place] <= index[place - 1] ? 1 : 0;
    block.row_end.push_back(static_cast<std::uint32_t>(end));
    place = end;
  }
  return falls == between_rows;
}

bool take_labels(const any_numbers& labels, range_of_rows part, row_block& block) {
  if (labels.empty()) {
    block.label.assign(part.last - part.first, 0.0);
    return true;
  }
  block.label.resize(part.last - part.first);
  labels.subspan(part.first, part.last - part.first).visit([&](auto from) {
    std::ranges::transform(from, block.label.begin(), [](auto x) { return static_cast<double>(x); });
  });
  return std::ranges::all_of(block.label, [](double x) { return std::isfinite(x); });
}

/// Columns in the type of the blocks, whatever their sign; empty if they have 64 bits.
std::span<const std::uint32_t> columns_of(const whole_numbers& index) {
  return index.visit([](auto from) -> std::span<const std::uint32_t> {
    using number = std::remove_cv_t<typename decltype(from)::element_type>;
    if constexpr (sizeof(number) == sizeof(std::uint32_t))
      return {reinterpret_cast<const std::uint32_t*>(from.data()), from.size()};
    return {};
  });
}

bool has_sign(const whole_numbers& index) {
  return index.visit(
      [](auto from) { return std::is_signed_v<std::remove_cv_t<typename decltype(from)::element_type>>; });
}

std::span<const float> singles_of(const real_numbers& value) {
  return value.visit([](auto from) -> std::span<const float> {
    if constexpr (std::is_same_v<decltype(from), std::span<const float>>) return from;
    return {};
  });
}

}  // namespace

std::optional<std::vector<row_block>> borrow_blocks(const csr_arrays& from, std::size_t most_columns) {
  const std::span<const std::uint32_t> index = columns_of(from.index);
  const std::span<const float> value = singles_of(from.value);
  const bool others = index.size() != from.index.size() || value.size() != from.value.size();
  if (others || !from.label_start.empty() || !all_weights(from.weight) || !all_finite(from.offset)) return {};
  if (has_sign(from.index))  // A negative one would be larger than all others.
    most_columns = std::min<std::size_t>(most_columns, std::numeric_limits<std::int32_t>::max() + std::size_t{1});
  return from.row_start.visit([&](auto start) -> std::optional<std::vector<row_block>> {
    const std::vector<range_of_rows> parts = cut(start);
    std::vector<row_block> blocks(parts.size());
    std::atomic<bool> hold{true};
    const auto take = [&](std::size_t b) {
      const range_of_rows part = parts[b];
      row_block& block = blocks[b];
      const auto first = static_cast<std::size_t>(start[part.first]);
      block.entries = static_cast<std::size_t>(start[part.last]) - first;
      const auto columns = index.subspan(first, block.entries);
      const auto values = value.subspan(first, block.entries);
      borrow_entries(columns, values, block);
      const seen_entries seen = see(columns, values);
      if (block.entries > 0) block.columns = seen.largest + 1;
      if ((block.entries > 0 && seen.largest >= most_columns) || seen.no_numbers > 0 ||
          !take_rows(start, part, columns, seen.falls, block) || !take_labels(from.label, part, block))
        hold.store(false, std::memory_order_relaxed);
    };
    if (parts.size() == 1)
      take(0);
    else
      tbb::parallel_for(std::size_t{0}, parts.size(), take);
    if (!hold.load()) return {};
    return blocks;
  });
}

}  // namespace hogwild::detail
