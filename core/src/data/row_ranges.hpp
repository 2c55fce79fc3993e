// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/block_file.hpp"
#include "data/column_table.hpp"
#include "data/memory_budget.hpp"
#include "data/parsed_text.hpp"
#include "data/spilled_text.hpp"

namespace hogwild::detail {

/// Consecutive rows of the dataset file, in memory.
struct row_range {
  std::uint64_t first_row = 0;  ///< in the file
  parsed_text text{};
  std::vector<row_place> order{};
};

/// The rows of a spilled text, distributed in another file among ranges of the dataset's rows, so that each range can
/// be ordered in memory.
class row_ranges {
 public:
  /// Reads the text once, and frees its space on the way. `target` is the place of each row of the text in the dataset;
  /// empty: the order of the text. Columns are replaced by their positions, if `position` is not null. Throws
  /// resource_error.
  row_ranges(const spilled_text& text, const std::vector<std::uint32_t>& target, const column_table* position,
             const range_budget& budget, std::uint64_t rows, bool lists);

  std::size_t count() const { return ranges_.size(); }
  const std::filesystem::path& folder() const { return file_->folder(); }
  /// Reads a range, with memory of its own. In ascending order the next one is read ahead.
  row_range read(std::size_t range) const;

 private:
  struct range_blocks {
    std::vector<block_file::place> blocks;
    std::uint64_t rows = 0, entries = 0;
  };
  class sorter;

  std::unique_ptr<block_file> file_;
  std::uint64_t rows_per_range_;
  std::vector<range_blocks> ranges_;
};

}  // namespace hogwild::detail
