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

/// The reason why a block was refused; places count from the start of the block.
struct libsvm_fault {
  std::size_t line;    ///< from 1
  std::size_t column;  ///< from 1, in bytes
  std::string message;
};

/// Rows of one block of text. Entry arrays belong to the caller; row r holds entries [row_end[r - 1], row_end[r]).
struct libsvm_block {
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
  std::optional<libsvm_fault> fault;
  label_spelling spelling;  ///< the spelling of its labels
  /// The first label that is not a whole number: a fault if other rows, in any block, have lists.
  std::optional<libsvm_fault> no_class;
  /// The first row without a label, if labels are required: a fault if no row, in any block, has a list.
  std::optional<libsvm_fault> no_label{};
  bool unlabelled = false;     ///< a row has no label, and labels are optional
  std::size_t blank_line = 0;  ///< the first blank line, from 1; 0: none
  std::size_t rows_before_blank = 0;
  std::size_t parsed_rows = 0;  ///< remains after the rows themselves have gone to a file

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

/// Room for the entries of a block of text: an entry takes four characters, or three if it is a first one without a
/// label; vectors also write a few entries after the last.
constexpr std::size_t libsvm_capacity(std::size_t text_bytes) {
  return text_bytes / 4 + 2 + entries_margin;
}

/// Parses whole lines: `text` ends with a newline, is at most 1 GiB long and is followed by `text_padding` readable
/// bytes. `block.index` and `block.value` hold libsvm_capacity(text.size()) entries. Faults in the text do not throw:
/// the first one is stored in the block, which then holds the rows before it. The result is the same for all
/// instruction sets; `automatic` takes the fastest, and an unavailable one falls back to the next below.
void parse_libsvm_block(std::string_view text, bool labels_optional, libsvm_block& block, isa set = isa::automatic);

}  // namespace hogwild::detail
