// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/rows.hpp>

namespace hogwild::detail {

/// Rows to predict, as rows_from() makes them through a numbering, but without a dataset: a row takes a microsecond,
/// and nothing is mapped. Rows keep their order, and their columns have the positions of `options.numbering`; unknown
/// columns are left out. All labels are 0.
///
/// Uses `name`, `columns`, `first_column` and `numbering` of `options`; the numbering must be given.
class numbered_rows {
 public:
  /// Copies row_start, index and value; the rest of `from` is ignored. Throws input_error as rows_from() does.
  numbered_rows(const csr_arrays& from, const row_options& options);
  /// `rows` dense rows, row after row, of `columns` numbers each. Borrows values of single precision if their columns
  /// are those of the numbering in its order, and copies others once. Throws input_error if the sizes do not fit, or a
  /// value of a known column is not finite in single precision.
  numbered_rows(const real_numbers& value, std::size_t rows, std::size_t columns, const row_options& options);
  numbered_rows(const numbered_rows&) = delete;
  numbered_rows& operator=(const numbered_rows&) = delete;

  /// Valid as long as this object lives.
  sparse_view view() const;

 private:
  column_numbering numbering_;
  std::uint32_t first_column_;
  bool dense_ = false;
  std::vector<std::uint64_t> start_;
  std::vector<std::uint32_t> index_;
  std::vector<float> copied_;
  std::span<const float> value_;
  std::vector<double> label_;  ///< zeros, one a row
};

}  // namespace hogwild::detail
