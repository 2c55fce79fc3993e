// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "data/cache_format.hpp"
#include "data/dataset_writer.hpp"

namespace hogwild::detail {

/// The arrays of a dataset file for its writer. If an array can have two widths, the one that the file does not have is
/// empty. Different parts may be written by different threads.
struct writable_arrays {
  explicit writable_arrays(const cache_arrays& arrays)
      : row_start(cache_arrays::writable(arrays.row_start.wide())),
        row_start32(cache_arrays::writable(arrays.row_start.narrow())),
        index(cache_arrays::writable(arrays.index)),
        index16(cache_arrays::writable(arrays.index16)),
        value(cache_arrays::writable(arrays.value)),
        value16(cache_arrays::writable(arrays.value16)),
        label(cache_arrays::writable(arrays.label.numbers())),
        label_code(cache_arrays::writable(arrays.label.codes())),
        label_table(cache_arrays::writable(arrays.label_table)),
        label_text(cache_arrays::writable(arrays.label_text)),
        original(cache_arrays::writable(arrays.original)),
        degree(cache_arrays::writable(arrays.degree)) {}

  std::span<std::uint64_t> row_start;
  std::span<std::uint32_t> row_start32;
  std::span<std::uint32_t> index;
  std::span<std::uint16_t> index16;
  std::span<float> value;
  std::span<half> value16;
  std::span<double> label;
  std::span<std::uint8_t> label_code;
  std::span<double> label_table;
  std::span<std::uint64_t> label_text;
  std::span<std::uint32_t> original;
  std::span<std::uint32_t> degree;

  void start_row(std::size_t r, std::uint64_t entry) const {
    if (row_start32.empty())
      row_start[r] = entry;
    else
      row_start32[r] = static_cast<std::uint32_t>(entry);
  }

  /// Sets for each column its number in the input, and the number of rows in which it occurs.
  void columns(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> rows) const {
    std::ranges::copy(numbers, original.begin());
    std::ranges::copy(rows, degree.begin());
  }

  /// Maps the pages of entries [begin, begin + count) of column and value.
  void populate(std::uint64_t begin, std::uint64_t count) const {
    const auto fault_in = [&](auto part) {
      if (!part.empty()) dataset_writer::populate(part.subspan(begin, count));
    };
    fault_in(index), fault_in(index16), fault_in(value), fault_in(value16);
  }

  /// Entries [begin, begin + count), and labels of `rows` rows from `first` on, are written: unmaps their pages from
  /// this process.
  void leave_memory(std::uint64_t begin, std::uint64_t count, std::uint64_t first, std::uint64_t rows) const {
    const auto leave = [](auto array, std::uint64_t from, std::uint64_t items) {
      if (!array.empty()) dataset_writer::leave_memory(std::as_bytes(array.subspan(from, items)));
    };
    leave(index, begin, count), leave(index16, begin, count), leave(value, begin, count), leave(value16, begin, count);
    leave(label, first, rows);
  }
};

}  // namespace hogwild::detail
