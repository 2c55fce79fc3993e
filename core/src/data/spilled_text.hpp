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

/// When rows go to a file while text is parsed, and how.
struct spill_options {
  std::size_t memory = 0;  ///< bytes that parsing may hold, the program itself not counted
  std::vector<std::filesystem::path> folders{};
  const column_numbering* numbering = nullptr;
  std::uint32_t first_number = 1;  ///< of the input for the column of index 0
  value_precision values = value_precision::single;
  /// Told why there is no file, once; then all stays in memory, unless this throws.
  std::function<void(const std::string&)> refused{};
};

/// The rows of a text that are too many for memory: in a file, block by block in the order of the text, and what is
/// known of all of them together.
class spilled_text {
 public:
  /// A block in the file, and what was seen on its way there.
  struct spilled_block {
    block_file::place place{};
    std::size_t first_row = 0;                                   ///< in the text
    std::size_t unknown = 0;                                     ///< entries left out
    std::optional<std::pair<std::size_t, float>> beyond_half{};  ///< entry and value
  };

  spilled_text(std::unique_ptr<block_file> file, const spill_options& options);

  /// Renumbers the block where there is a numbering, and writes it to the file. Any thread may call it. Throws
  /// resource_error.
  spilled_block write(libsvm_block& block);
  /// Takes note of a block that was written. In the order of the text. Throws resource_error where columns alone take
  /// more memory than there is.
  void add(const libsvm_block& block, spilled_block written, const std::string& source);

  block_file& file() const { return *file_; }
  const std::vector<spilled_block>& blocks() const { return blocks_; }
  column_table& columns() { return columns_; }                          ///< of no entries where there is a numbering
  const std::vector<std::uint32_t>& degree() const { return degree_; }  ///< where there is a numbering
  const label_codes& codes() const { return codes_; }
  bool halves() const { return halves_; }  ///< half precision holds every value as it is
  std::size_t unknown() const { return unknown_; }
  std::uint64_t labels() const { return labels_; }  ///< of lists and of rows without one
  /// The first row, from 1, with a value that half precision cannot hold, where that was asked for.
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
