// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/embeddings/row_figures.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>

namespace hogwild {

/// Gradients of rows, several of which may belong to the same row: their sum is emitted once.
class row_sums {
 public:
  /// Rows have `width` floats, at least one.
  explicit row_sums(std::size_t width) : sum_(width), width_(width) {}

  /// A gradient of the row that begins at `offset`, times `factor`; it must stay valid until emit(). `examples` of
  /// those that the gradient sums up are to regularise the row: 0 for a row that was only drawn.
  void add(std::size_t offset, std::span<const float> gradient, float examples, float factor = 1.0f) {
    given_.push_back({offset, gradient.data(), examples, factor});
  }

  /// Emits the rows in the order of their offsets, and forgets them.
  template <class Emit>
  void emit(const Emit& to) {
    // Stable, so that a sum adds in the order in which its terms were given.
    std::ranges::stable_sort(given_, {}, &given::offset);
    for (std::size_t i = 0; i < given_.size();) {
      const std::size_t first = i;
      float examples = given_[i].examples;
      const float* gradient = given_[i].gradient;
      const auto begin_sum = [&] {
        for (std::size_t k = 0; k < width_; ++k) sum_.data()[k] = given_[first].factor * given_[first].gradient[k];
        gradient = sum_.data();
      };
      if (given_[first].factor != 1.0f) begin_sum();
      for (++i; i < given_.size() && given_[i].offset == given_[first].offset; ++i) {
        if (gradient != sum_.data()) begin_sum();
        for (std::size_t k = 0; k < width_; ++k) sum_.data()[k] += given_[i].factor * given_[i].gradient[k];
        examples += given_[i].examples;
      }
      emit_touched(to, given_[first].offset, {gradient, width_}, examples);
    }
    given_.clear();
  }

 private:
  struct given {
    std::size_t offset;
    const float* gradient;
    float examples, factor;
  };
  std::vector<given> given_;
  lined_floats sum_;
  std::size_t width_;
};

}  // namespace hogwild
