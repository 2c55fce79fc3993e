// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/embeddings/row_sums.hpp>

namespace hogwild {

/// What the vectors of users and items with features are: the sum of a row of their own and those of their features,
/// each times its weight, divided by the length of these weights. With this divisor a step moves a vector as far as one
/// without features, however many features it has, and rows that begin alike make vectors of one length. The bias of an
/// item is made of biases in the same way. Never changed; borrows the numbers of a dataset.
class pair_parts {
 public:
  pair_parts() = default;
  /// For the columns of a dataset; rows of parameters number its columns, and then the features from `first` on.
  /// `alone`: columns with features have no row of their own.
  pair_parts(const column_parts& features, std::size_t first, bool alone);

  /// Calls f(row of parameters, weight) for each term of a column's vector.
  template <class F>
  void for_terms(std::size_t column, const F& f) const {
    const std::span<const std::uint32_t> features = parts_.of(column);
    const std::span<const float> weights = parts_.weights_of(column);
    if (features.empty() || !alone_) f(column, scale_[column]);
    for (std::size_t k = 0; k < features.size(); ++k) f(first_ + features[k], scale_[column] * weights[k]);
  }

  /// Reads the vector of a column, where rows are as wide as `to` and begin at the first parameter.
  void read(const auto& w, std::size_t column, std::span<float> to) const {
    std::ranges::fill(to, 0.0f);
    for_terms(column, [&](std::size_t row, float weight) {
      const auto from = w.block(row * to.size(), to.size());
      for (std::size_t k = 0; k < to.size(); ++k) to[k] += weight * from[k];
    });
  }
  /// The bias of a column, where that of row r is parameter biases + r.
  float bias(const auto& w, std::size_t column, std::size_t biases) const {
    float sum = 0.0f;
    for_terms(column, [&](std::size_t row, float weight) { sum += weight * w[biases + row]; });
    return sum;
  }

  /// Adds the gradient of a column's vector to those of its terms; of its bias with `width` 1, and `offset` as above.
  void add(std::size_t column, std::size_t offset, std::size_t width, std::span<const float> gradient, float examples,
           row_sums& to) const {
    for_terms(column, [&](std::size_t row, float weight) { to.add(offset + row * width, gradient, examples, weight); });
  }

 private:
  column_parts parts_{};
  std::vector<float> scale_{};  ///< of each column
  std::size_t first_ = 0;
  bool alone_ = false;
};

}  // namespace hogwild
