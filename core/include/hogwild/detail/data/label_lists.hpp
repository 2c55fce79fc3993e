// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/label_column.hpp>

namespace hogwild {

/// Rows with several labels each, as a label_column shows them: row r has table[code[k]] for k from start[r] to
/// start[r + 1], ascending.
struct label_lists {
  std::vector<std::uint32_t> start{0};
  std::vector<std::uint32_t> code;
  std::vector<double> table{};  ///< ascending and distinct

  label_lists() = default;
  /// Row r has labels[first[r] .. first[r + 1]), in any order; `first` ascends from 0 to labels.size(), which is below
  /// 2^32. Labels of a row are distinct.
  label_lists(std::span<const std::uint32_t> first, std::span<const double> labels);

  bool empty() const { return start.size() == 1; }
  /// Valid as long as this object is neither changed nor destroyed.
  label_column column() const { return {start, code, table}; }
};

}  // namespace hogwild
