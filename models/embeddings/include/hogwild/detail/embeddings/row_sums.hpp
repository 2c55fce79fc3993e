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

  /// A gradient of the row that begins at `offset`; it must stay valid until emit(). `examples` of those that the
  /// gradient sums up are to regularise the row: 0 for a row that was only drawn.
  void add(std::size_t offset, std::span<const float> gradient, float examples) {
    given_.push_back({offset, gradient.data(), examples});
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
      for (++i; i < given_.size() && given_[i].offset == given_[first].offset; ++i) {
        if (i == first + 1) std::copy_n(gradient, width_, sum_.data());
        gradient = sum_.data();
        for (std::size_t k = 0; k < width_; ++k) sum_.data()[k] += given_[i].gradient[k];
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
    float examples;
  };
  std::vector<given> given_;
  lined_floats sum_;
  std::size_t width_;
};

}  // namespace hogwild
