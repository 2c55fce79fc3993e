// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/label_spelling.hpp>

#include "data/stated_numbers.hpp"

namespace hogwild {

struct csr_arrays;

namespace detail {

/// The reason why a block was refused; places count from the start of the block.
struct row_fault {
  std::size_t line;    ///< from 1
  std::size_t column;  ///< from 1, in bytes
  std::string message;
};

/// Rows of one block of text. Entry arrays belong to the caller; row r holds entries [row_end[r - 1], row_end[r]).
struct row_block {
  std::uint32_t* index = nullptr;  ///< from 0: one less than in the text
  float* value = nullptr;
  bool borrowed = false;  ///< the entries' owner needs them unchanged: call own_entries() before changing them
  std::shared_ptr<const void> owner{};  ///< of the entries' memory, if it is not the caller alone
  std::vector<std::uint32_t> row_end;
  std::vector<double> label;  ///< with lists the least label
  /// If a row of the block has a list of labels, or none: the labels of all rows, ascending; those of row r end at
  /// list_end[r]. Otherwise both are empty.
  std::vector<double> list;
  std::vector<std::uint32_t> list_end;
  std::size_t list_line = 0;  ///< of the first list, from 1; 0: none
  std::size_t entries = 0;
  std::uint32_t columns = 0;  ///< one more than the largest index
  std::size_t lines = 0;      ///< newlines that were read
  std::optional<row_fault> fault;
  label_spelling spelling;  ///< the spelling of its labels
  /// The first label that is not a whole number: a fault if other rows, in any block, have lists.
  std::optional<row_fault> no_class;
  /// The first row without a label, if labels are required: a fault if no row, in any block, has a list.
  std::optional<row_fault> no_label{};
  bool unlabelled = false;     ///< a row has no label, and labels are optional
  std::size_t blank_line = 0;  ///< the first blank line, from 1; 0: none
  std::size_t rows_before_blank = 0;
  stated_numbers stated{};      ///< what the text states for the rows
  std::size_t parsed_rows = 0;  ///< remains after the rows themselves have gone to a file
  /// For each row, its entries in columns that no other row has; empty where no column is such, or before they are
  /// counted (singleton_order).
  std::vector<std::uint32_t> singletons{};

  /// Gives the last row these labels, ascending.
  void add_list(std::span<const double> labels) {
    list_all(label.size() - 1);
    list.insert(list.end(), labels.begin(), labels.end());
    list_end.push_back(static_cast<std::uint32_t>(list.size()));
  }
  /// Gives each of the first `rows` rows that has no list yet a list of one label.
  void list_all(std::size_t rows) {
    while (list_end.size() < rows) {
      list.push_back(label[list_end.size()]);
      list_end.push_back(static_cast<std::uint32_t>(list.size()));
    }
  }
};

/// Entries that vectors may write after the last one.
inline constexpr std::size_t entries_margin = 16;

/// The rows of a piece as blocks whose entries are the caller's own arrays (row_block::borrowed), checked by the
/// threads of the current arena. `row_start` ascends within the arrays, and there is one label a row or none. Returns
/// nothing if arrays have other types than the blocks', or a row is not as required: columns that ascend, below
/// `most_columns`, finite numbers, weights of at least 0, one label. A caller that then takes rows one by one finds the
/// row at fault, or corrects it.
std::optional<std::vector<row_block>> borrow_blocks(const csr_arrays& from, std::size_t most_columns);

}  // namespace detail
}  // namespace hogwild
