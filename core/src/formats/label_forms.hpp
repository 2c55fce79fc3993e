// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "libsvm_parser.hpp"

namespace hogwild::detail {

/// Which forms the labels of a text have, block by block in its order: where one row has a list, all labels are
/// classes, that is whole numbers.
class label_forms {
 public:
  /// `lines` stand before the block.
  void add(const libsvm_block& block, std::size_t lines);
  bool has_lists() const { return list_line_ > 0; }
  /// Throws format_error where there are lists, and labels that are no whole numbers.
  void require_one(const std::string& source) const;

 private:
  std::size_t list_line_ = 0;
  std::optional<libsvm_fault> no_class_;
};

/// The first of the block's labels that is no whole number, as libsvm_block::no_class has it. `text` is the block's,
/// without a fault.
std::optional<libsvm_fault> find_no_class(std::string_view text, const libsvm_block& block);

}  // namespace hogwild::detail
