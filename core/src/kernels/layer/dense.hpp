// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layer/lanes.hpp"

// Eigen computes products of whole matrices. Examples are rows, and a column is a run of lanes.

namespace hogwild::detail {
namespace {

using const_columns = Eigen::Map<const Eigen::MatrixXf, Eigen::AlignedMax>;
using columns = Eigen::Map<Eigen::MatrixXf, Eigen::AlignedMax>;
using row_major = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using const_weights = Eigen::Map<const row_major>;

inline Eigen::Index index_of(std::size_t n) {
  return static_cast<Eigen::Index>(n);
}

void dense(std::size_t rows, std::size_t inputs, std::size_t outputs, const float* w, const float* b, const float* x,
           float* y) {
  columns to(y, index_of(rows), index_of(outputs));
  if (b != nullptr) to.rowwise() = Eigen::Map<const Eigen::RowVectorXf>(b, index_of(outputs));
  to.noalias() +=
      const_columns(x, index_of(rows), index_of(inputs)) * const_weights(w, index_of(inputs), index_of(outputs));
}

void dense_input(std::size_t rows, std::size_t inputs, std::size_t outputs, const float* w, const float* dy,
                 float* dx) {
  columns(dx, index_of(rows), index_of(inputs)).noalias() =
      const_columns(dy, index_of(rows), index_of(outputs)) *
      const_weights(w, index_of(inputs), index_of(outputs)).transpose();
}

void dense_weights(std::size_t rows, std::size_t inputs, std::size_t outputs, const float* x, const float* dy,
                   float* dw, float* db) {
  const const_columns partials(dy, index_of(rows), index_of(outputs));
  Eigen::Map<row_major>(dw, index_of(inputs), index_of(outputs)).noalias() +=
      const_columns(x, index_of(rows), index_of(inputs)).transpose() * partials;
  if (db != nullptr) Eigen::Map<Eigen::RowVectorXf>(db, index_of(outputs)) += partials.colwise().sum();
}

}  // namespace
}  // namespace hogwild::detail
