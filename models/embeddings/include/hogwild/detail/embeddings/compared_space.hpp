// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/embeddings/pair_model.hpp>
#include <hogwild/detail/embeddings/row_sums.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>

namespace hogwild {

/// One worker's memory for pairs that are compared one after the other.
class compared_space {
 public:
  compared_space(std::size_t width, std::size_t batch, std::shared_ptr<const pair_side> side)
      : side_(std::move(side)), pairs_(batch), rows_(6 * width), width_(width), sums_(width), biases_(1) {}

  /// A pair and the item that is drawn against it; without weight it does not count.
  struct compared {
    std::uint32_t user = 0, item = 0, other = 0;
    float times = 0.0f, weight = 0.0f;  ///< as of pair_space
  };
  const pair_side& side() const { return *side_; }
  compared& pair(std::size_t k) { return pairs_[k]; }
  const compared& pair(std::size_t k) const { return pairs_[k]; }
  /// Rows of the user, the item and the other item, then their gradients.
  std::span<float> row(std::size_t r) { return rows_.part(r * width_, width_); }
  // For a model with features: rows that a pair's gradients belong to.
  row_sums& sums() { return sums_; }
  row_sums& biases() { return biases_; }

 private:
  std::shared_ptr<const pair_side> side_;
  std::vector<compared> pairs_;
  lined_floats rows_;
  std::size_t width_;
  row_sums sums_, biases_;
};

}  // namespace hogwild
