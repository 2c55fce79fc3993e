// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "libsvm_parser.hpp"

namespace hogwild::detail {

/// Which forms the labels of a text have, block by block in its order: where one row has a list, all labels are
/// classes, that is whole numbers; and where a row has none, a blank line may be a row.
class label_forms {
 public:
  /// `lines` stand before the block.
  void add(const libsvm_block& block, std::size_t lines);
  bool has_lists() const { return list_line_ > 0; }
  /// Throws format_error where there are lists, and labels that are no whole numbers or no entry in any row: then they
  /// are no labels. So it does where there are none and a row lacks a label that it should have; and where rows lack
  /// labels that they need not have and a blank line stands before one: of the rows that are told of
  /// then, one may be missing. `entries` are those of all rows.
  void require_one(const std::string& source, std::size_t entries) const;

 private:
  std::size_t list_line_ = 0;
  std::optional<libsvm_fault> no_class_, no_label_;
  bool unlabelled_ = false;
  std::size_t rows_ = 0, blank_line_ = 0, rows_before_blank_ = 0;
};

/// The first of the block's labels that is no whole number, as libsvm_block::no_class has it. `text` is the block's,
/// without a fault.
std::optional<libsvm_fault> find_no_class(std::string_view text, const libsvm_block& block);

}  // namespace hogwild::detail
