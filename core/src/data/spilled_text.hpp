// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>

#include "data/block_file.hpp"
#include "data/column_table.hpp"
#include "data/narrowing.hpp"

namespace hogwild::detail {

/// When and how rows go to a file while text is parsed.
struct spill_options {
  std::size_t memory = 0;  ///< bytes that parsing may hold, without the program itself
  std::vector<std::filesystem::path> folders{};
  const column_numbering* numbering = nullptr;
  std::uint32_t first_number = 1;  ///< the input's number of the column with index 0
  value_precision values = value_precision::single;
  /// Called once, with the reason, if no file can be made; all rows then stay in memory, unless this throws.
  std::function<void(const std::string&)> refused{};
};

/// The rows of a text that do not fit into memory: in a file, block by block in the order of the text, with facts about
/// all of them together.
class spilled_text {
 public:
  /// A block in the file, and facts found while it was written.
  struct spilled_block {
    block_file::place place{};
    std::size_t first_row = 0;                                   ///< in the text
    std::size_t unknown = 0;                                     ///< dropped entries
    std::optional<std::pair<std::size_t, float>> beyond_half{};  ///< entry and value
  };

  spilled_text(std::unique_ptr<block_file> file, const spill_options& options);

  /// Renumbers the block if there is a numbering, and writes it to the file. Any thread may call it. Throws
  /// resource_error.
  spilled_block write(row_block& block);
  /// Records a written block. To be called in the order of the text. `names`: their bytes so far. Throws resource_error
  /// if columns and names alone take more memory than there is.
  void add(const row_block& block, spilled_block written, std::size_t names, const std::string& source);

  /// Reads all blocks, changes them and writes them again. There is no numbering. `change` sets block.columns.
  void change(const std::function<void(row_block& block)>& change, const std::string& source);

  block_file& file() const { return *file_; }
  const std::vector<spilled_block>& blocks() const { return blocks_; }
  column_table& columns() { return columns_; }                          ///< empty if there is a numbering
  const std::vector<std::uint32_t>& degree() const { return degree_; }  ///< if there is a numbering
  const label_codes& codes() const { return codes_; }
  bool halves() const { return halves_; }  ///< half precision holds every value exactly
  std::size_t unknown() const { return unknown_; }
  std::uint64_t labels() const { return labels_; }  ///< in lists, and of rows without one
  /// The first row, from 1, with a value that half precision cannot hold, and the value, if this was asked for.
  const std::optional<std::pair<std::size_t, float>>& beyond_half() const { return beyond_half_; }
  std::size_t memory() const { return memory_; }
  std::uint64_t largest_block() const { return largest_block_; }  ///< bytes in memory

 private:
  std::unique_ptr<block_file> file_;
  std::size_t memory_;
  const column_numbering* numbering_;
  std::uint32_t first_number_;
  bool check_halves_;
  std::vector<spilled_block> blocks_;
  column_table columns_;
  std::vector<std::uint32_t> degree_;
  label_codes codes_;
  bool halves_ = true;
  std::size_t rows_ = 0, unknown_ = 0;
  std::uint64_t labels_ = 0, largest_block_ = 0;
  std::optional<std::pair<std::size_t, float>> beyond_half_;
};

}  // namespace hogwild::detail
