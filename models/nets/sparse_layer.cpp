// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/sparse_layer.hpp>

#include "nets/row_products.hpp"

namespace hogwild {
void sparse_layer::take(std::size_t k, const sparse_row<float>& z, float scale) {
  gathered_ = 0;
  examples_[k].clear();
  for (auto [j, x] : z) {
    if (x != 0.0f) examples_[k].push_back({static_cast<std::uint32_t>(j), x * scale});
  }
}

void sparse_layer::gather(std::size_t n) {
  if (gathered_ == n) return;
  gathered_ = n;
  for (const std::uint32_t column : columns_) slot_[column] = 0;
  columns_.clear(), counts_.clear();
  for (std::size_t k = 0; k < n; ++k) {
    for (const entry& e : examples_[k]) {
      std::uint32_t& slot = slot_[e.column];
      if (slot == 0) {
        columns_.push_back(e.column), counts_.push_back(0);
        slot = static_cast<std::uint32_t>(columns_.size());
      }
      ++counts_[slot - 1];
    }
  }
  weights_.resize(columns_.size() * outputs_);
  partials_.assign(columns_.size() * outputs_, 0.0f);
}

void sparse_layer::forward(std::size_t k, std::span<float> y) const {
  for (const entry& e : examples_[k])
    detail::add_times(y.data(), weights_.data() + (slot_[e.column] - 1) * outputs_, e.x, outputs_);
}

void sparse_layer::backward(std::size_t k, std::span<const float> dy) {
  gathered_ = 0;
  for (const entry& e : examples_[k])
    detail::add_times(partials_.data() + (slot_[e.column] - 1) * outputs_, dy.data(), e.x, outputs_);
}

}  // namespace hogwild
