// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// Reads rows of a view, whatever width they are stored in. Each thread needs its own.
class row_cursor {
 public:
  /// Keeps a copy of the view; the arrays must outlive the cursor.
  explicit row_cursor(const sparse_view& rows) : rows_(rows) {}

  /// Row r with its label converted to float; engines replace the label by the one that the model trains on. The spans
  /// lie in the view's arrays or in a buffer of this cursor: they are valid until the next call.
  sparse_row<float> row(std::size_t r) {
    const std::uint64_t begin = rows_.row_start[r], length = rows_.row_start[r + 1] - begin;
    return {rows_.has_narrow_index() ? widen(rows_.index16.subspan(begin, length), index_)
                                     : rows_.index.subspan(rows_.dense ? 0 : begin, length),
            rows_.has_narrow_value() ? widen(rows_.value16.subspan(begin, length), value_)
                                     : rows_.value.subspan(begin, length),
            static_cast<float>(rows_.label[r]),
            {},
            rows_.weight_of(r),
            rows_.offset_of(r),
            rows_.id_of(r)};
  }

  /// Room for the classes of a row, until the next row.
  std::vector<std::uint32_t>& classes() { return classes_; }
  /// The label of row r as read.
  double label(std::size_t r) const { return rows_.label[r]; }
  const sparse_view& view() const { return rows_; }

 private:
  static std::uint32_t wide(std::uint16_t j) { return j; }
  static float wide(half x) { return to_float(x); }

  template <class Narrow, class Wide>
  static std::span<const Wide> widen(std::span<const Narrow> from, std::vector<Wide>& to) {
    if (to.size() < from.size()) to.resize(from.size());
    const Narrow* const source = from.data();
    Wide* const target = to.data();
    for (std::size_t k = 0; k < from.size(); ++k) target[k] = wide(source[k]);
    return {target, from.size()};
  }

  sparse_view rows_;
  std::vector<std::uint32_t> index_;
  std::vector<float> value_;
  std::vector<std::uint32_t> classes_;
};

}  // namespace hogwild
