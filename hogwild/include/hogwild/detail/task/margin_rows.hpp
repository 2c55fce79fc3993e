// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/loop/row_batches.hpp>

namespace hogwild {

/// Computes the margins of rows by the kernels that train: the same bits as for models side by side. Belongs to one
/// thread; nobody may write the weights meanwhile.
template <class Index, class Value>
class margin_rows {
 public:
  /// w = scale * v: one number for each column of the rows.
  margin_rows(const sparse_view& rows, const float* v, double scale, isa set)
      : rows_(rows),
        v_(v),
        scale_(static_cast<float>(scale)),
        kernels_(kernels_of<Index, Value>(set)),
        batch_(batch_on<Index, Value>(rows)) {}

  /// margin[i] = w . x of the i-th of these rows, at most batch_rows, without constant and offset. The caller has
  /// called ensure() for these rows.
  template <class Rows>
  void operator()(const Rows& rows, float* margin) {
    take_rows(batch_, rows_, rows);
    kernels_.dots(v_, batch_, margin);
    for (std::size_t i = 0; i < batch_.rows; ++i) margin[i] *= scale_;
  }

 private:
  const sparse_view& rows_;
  const float* v_;
  float scale_;
  const margin_kernels<Index, Value>& kernels_;
  row_batch<Index, Value> batch_;
};

}  // namespace hogwild
