// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "data/row_block.hpp"

namespace hogwild::detail {

/// The forms of the labels in a text, block by block in its order. If one row has a list, all labels are classes, that
/// is whole numbers. If a row has no label, a blank line may be a row.
class label_forms {
 public:
  /// `empty_lists`: a row without a label shows, too, that labels are lists.
  explicit label_forms(bool empty_lists = false) : empty_lists_(empty_lists) {}
  /// `lines`: the number of lines before the block.
  void add(const row_block& block, std::size_t lines);
  bool has_lists() const { return list_line_ > 0 || (empty_lists_ && no_label_); }
  /// Throws format_error in these cases: there are lists, and some label is not a whole number or no row has an entry
  /// (then they are not labels); there are no lists, and a row lacks a required label; labels are optional and missing,
  /// and a blank line precedes a row, so that a row may have been lost. `entries` is the number of entries in all rows.
  void require_one(const std::string& source, std::size_t entries) const;

 private:
  bool empty_lists_;
  std::size_t list_line_ = 0;
  std::optional<row_fault> no_class_, no_label_;
  bool unlabelled_ = false;
  std::size_t rows_ = 0, blank_line_ = 0, rows_before_blank_ = 0;
};

/// The first of the block's labels that is not a whole number, for row_block::no_class. `text` is that of the block,
/// which has no fault.
std::optional<row_fault> find_no_class(std::string_view text, const row_block& block);

}  // namespace hogwild::detail
