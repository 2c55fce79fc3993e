// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/core/dataset.hpp>

namespace hogwild {

/// Sparse rows that the caller holds in memory. Borrows the three arrays, which must outlive it, and copies the labels;
/// columns keep their numbers. Rows are trained in the order given within a chunk, so shuffle sorted data first.
class csr_rows {
 public:
  /// `row_start` has one entry more than there are rows, ascending from 0 to index.size(); index and value are equally
  /// long; columns are distinct within a row, in any order, and below `columns`, which are at most column_limit. Throws
  /// input_error where the sizes do not fit; train() looks at the columns and values themselves, in time that is linear
  /// where columns ascend within each row.
  csr_rows(std::span<const std::uint64_t> row_start, std::span<const std::uint32_t> index, std::span<const float> value,
           std::span<const float> label, std::size_t columns);

  sparse_view view() const;
  std::size_t features() const { return columns_; }

 private:
  std::span<const std::uint64_t> row_start_;
  std::span<const std::uint32_t> index_;
  std::span<const float> value_;
  std::vector<double> label_;
  std::size_t columns_;
};

}  // namespace hogwild
