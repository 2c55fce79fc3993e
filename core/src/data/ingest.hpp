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
#include "data/row_place.hpp"
#include "data/row_ranges.hpp"

namespace hogwild::detail {

/// Rows and columns as they will stand in the file.
struct row_plan {
  std::vector<row_place> order;              ///< where each row of the file stands in the text,
  std::unique_ptr<const row_ranges> ranges;  ///< or the rows of a spilled text
  column_order columns;
  std::uint32_t first_singleton =
      std::numeric_limits<std::uint32_t>::max();  ///< entries from this position on stand last in rows
  label_codes labels;
  bool has_lists = false;       ///< rows have lists of labels; then there are no codes
  label_lists lists;            ///< in the order of the file; of a spilled text the table alone
  bool half_values = false;     ///< values are stored in half precision,
  bool values_rounded = false;  ///< which changes some of them
  std::size_t unknown_entries = 0;
};

/// Training data (no numbering): columns ordered, rows shuffled once, the same for the same rows whatever the number of
/// threads. With a numbering: its columns, rows in their own order. Values go to half precision where `values` says so
/// or where that changes none. Throws input_error, with `source` as the file, beyond 2^32 - 1 rows and where a value is
/// too large for the precision, and resource_error where a text that was spilled needs more memory than it may take, or
/// cannot be brought into its order.
row_plan plan_rows(parsed_text& text, const column_numbering* numbering, value_precision values,
                   const std::string& source, const row_format& format = libsvm_row_format());

/// The sizes of the file; the caller adds the key.
cache_header sizes_of(const parsed_text& text, const row_plan& plan);

/// Rows in a block, such that it holds about 16 thousand entries.
std::uint32_t rows_per_block(std::uint64_t rows, std::uint64_t nonzeros);

/// Writes and seals all arrays in parallel.
void write_rows(const parsed_text& text, const row_plan& plan, dataset_writer& file);

}  // namespace hogwild::detail
