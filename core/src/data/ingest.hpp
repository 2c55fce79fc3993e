// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/detail/data/label_column.hpp>

#include "data/cache_format.hpp"
#include "data/column_order.hpp"
#include "data/dataset_writer.hpp"
#include "data/narrowing.hpp"
#include "data/parsed_text.hpp"
#include "data/row_ranges.hpp"

namespace hogwild::detail {

/// The arrangement of rows and columns in the file.
struct row_plan {
  std::vector<row_place> order;              ///< for each row of the file its place in the text,
  std::unique_ptr<const row_ranges> ranges;  ///< or the rows of a spilled text
  column_order columns;
  std::uint32_t first_singleton =
      std::numeric_limits<std::uint32_t>::max();  ///< entries from this position on come last in rows
  label_codes labels;
  bool has_lists = false;       ///< rows have lists of labels; then there are no codes
  label_lists lists;            ///< in the order of the file; for a spilled text only the table
  bool half_values = false;     ///< values are stored in half precision,
  bool values_rounded = false;  ///< and this changes some of them
  std::size_t unknown_entries = 0;
};

/// Training data (no numbering): orders columns, and shuffles rows once, the same for the same rows whatever the number
/// of threads. With a numbering: takes its columns, and keeps the rows' order. Values are kept in half precision if
/// `values` asks for it or if that changes none. Throws input_error, with `source` as the file, beyond 2^32 - 1 rows
/// and if a value is too large for the precision. Throws resource_error if a spilled text needs more memory than it may
/// take, or cannot be ordered.
row_plan plan_rows(parsed_text& text, const column_numbering* numbering, value_precision values,
                   const std::string& source, const row_format& format);

/// The sizes for the file's header; the caller adds the key.
cache_header sizes_of(const parsed_text& text, const row_plan& plan);

/// Rows of a block, so that it holds about 16 thousand entries.
std::uint32_t rows_per_block(std::uint64_t rows, std::uint64_t nonzeros);

/// Writes and seals all arrays in parallel.
void write_rows(const parsed_text& text, const row_plan& plan, dataset_writer& file);

}  // namespace hogwild::detail
