// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild::detail {

/// Why a block was refused, with the place counted from the start of the block.
struct libsvm_fault {
  std::size_t line;    ///< from 1
  std::size_t column;  ///< from 1, in bytes
  std::string message;
};

/// Rows of one block of text. Entry arrays belong to the caller; row r holds entries [row_end[r - 1], row_end[r]).
struct libsvm_block {
  std::uint32_t* index = nullptr;  ///< from 0: one less than in the text
  float* value = nullptr;
  bool borrowed = false;  ///< who has the entries wants them as they are: own_entries() before they are changed
  std::shared_ptr<const void> owner{};  ///< of the entries' memory, where it is not the caller alone
  std::vector<std::uint32_t> row_end;
  std::vector<double> label;  ///< of a list of labels the least
  /// Where a row of the block has a list of labels, or none: the labels of all rows, row r's ending at list_end[r],
  /// ascending; else both are empty.
  std::vector<double> list;
  std::vector<std::uint32_t> list_end;
  std::size_t list_line = 0;  ///< of the first list, from 1; 0: there is none
  std::size_t entries = 0;
  std::uint32_t columns = 0;  ///< one more than the largest index
  std::size_t lines = 0;      ///< newlines read
  std::optional<libsvm_fault> fault;
  label_spelling spelling;  ///< of its labels
  /// Names the first label that is no whole number: a fault where other rows, here or elsewhere, have lists.
  std::optional<libsvm_fault> no_class;
  /// Names the first row without a label, where labels are not optional: a fault where no row, here or elsewhere, has a
  /// list.
  std::optional<libsvm_fault> no_label{};
  bool unlabelled = false;     ///< a row has no label, where labels are optional
  std::size_t blank_line = 0;  ///< the first one that is blank, from 1; 0: there is none
  std::size_t rows_before_blank = 0;
  std::size_t parsed_rows = 0;  ///< stays where the rows themselves have gone to a file

  /// Gives the last row these labels, ascending.
  void add_list(std::span<const double> labels) {
    list_all(label.size() - 1);
    list.insert(list.end(), labels.begin(), labels.end());
    list_end.push_back(static_cast<std::uint32_t>(list.size()));
  }
  /// Lists of one label for the rows up to this one that have none yet.
  void list_all(std::size_t rows) {
    while (list_end.size() < rows) {
      list.push_back(label[list_end.size()]);
      list_end.push_back(static_cast<std::uint32_t>(list.size()));
    }
  }
};

/// Entries that vectors may write behind the last one.
inline constexpr std::size_t entries_margin = 16;

/// Room for the entries of a block of text: an entry takes four characters, and a first one without a label three;
/// vectors also write a few entries behind the last.
constexpr std::size_t libsvm_capacity(std::size_t text_bytes) {
  return text_bytes / 4 + 2 + entries_margin;
}

/// Parses whole lines: `text` ends with a newline, is at most 1 GiB long and `text_padding` bytes behind it are
/// readable. `block.index` and `block.value` hold libsvm_capacity(text.size()) entries. Never throws for the text's
/// sake: the first fault is left in the block, which then holds the rows before it. The result is the same whatever the
/// instruction set; automatic takes the fastest, and one that is not there the next below.
void parse_libsvm_block(std::string_view text, bool labels_optional, libsvm_block& block, isa set = isa::automatic);

}  // namespace hogwild::detail
