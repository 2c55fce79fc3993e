// SPDX-License-Identifier: Apache-2.0
#include "known_rows.hpp"

#include <hogwild/detail/data/row_cursor.hpp>

namespace hogwild::cli {

rows_beside_known::rows_beside_known(const sparse_view& measured, std::span<const sparse_view> known) {
  add(measured, true);
  for (const sparse_view& rows : known) add(rows, false);
  rows_ = std::make_unique<csr_rows>(row_start_, index_, value_, label_, measured.columns);
  rows_->set_weights(weight_);
}

void rows_beside_known::add(const sparse_view& rows, bool asked) {
  row_cursor cursor(rows);
  rows.ensure(0, rows.rows());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> row = cursor.row(r);
    index_.insert(index_.end(), row.index.begin(), row.index.end());
    value_.insert(value_.end(), row.value.begin(), row.value.end());
    row_start_.push_back(index_.size());
    label_.push_back(row.label);
    weight_.push_back(asked ? row.weight : 0.0f);
  }
}

}  // namespace hogwild::cli
