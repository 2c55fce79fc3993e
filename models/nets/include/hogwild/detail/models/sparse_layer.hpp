// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/example.hpp>

namespace hogwild {

/// The first layer of a net on sparse rows, y_k = b + sum_j x_kj W_j, restricted to the columns of the current rows.
/// Each of these has a slot, for its weights and their partials. One worker's memory; no other thread may use it at the
/// same time. Call take() for each example, then gather() for all of them.
class sparse_layer {
 public:
  struct entry {
    std::uint32_t column;
    float x;
  };

  /// For at most `batch` examples of `columns` columns; W_j has `outputs` > 0 numbers.
  sparse_layer(std::size_t columns, std::size_t outputs, std::size_t batch)
      : outputs_(outputs), slot_(columns, 0), examples_(batch) {}

  /// Takes the row, its values times `scale`, as example k; its spans need not stay valid.
  void take(std::size_t k, const sparse_row<float>& z, float scale);
  /// Gives the columns of examples 0 .. n-1 slots, in the order in which they come, with partials of 0; does nothing if
  /// they already have them.
  void gather(std::size_t n);

  /// The column of each slot.
  std::span<const std::uint32_t> columns() const { return columns_; }
  /// The number of examples that have the slot's column.
  std::uint32_t count(std::size_t slot) const { return counts_[slot]; }
  std::span<float> weights(std::size_t slot) { return std::span(weights_).subspan(slot * outputs_, outputs_); }
  std::span<const float> partials(std::size_t slot) const {
    return std::span(partials_).subspan(slot * outputs_, outputs_);
  }

  /// For callers that add to the partials.
  std::span<float> partials(std::size_t slot) {
    gathered_ = 0;
    return std::span(partials_).subspan(slot * outputs_, outputs_);
  }

  /// The entries of example k that are not 0, each with the place of its column's weights once gathered.
  std::span<const entry> entries(std::size_t k) const { return examples_[k]; }
  std::size_t slot_of(const entry& e) const { return slot_[e.column] - 1; }

  /// y += sum_j x_kj W_j.
  void forward(std::size_t k, std::span<float> y) const;
  /// Adds to the partials of the weights, given the partials of y.
  void backward(std::size_t k, std::span<const float> dy);

 private:
  std::size_t outputs_;
  std::size_t gathered_ = 0;         ///< so many examples have the slots, and partials are 0; 0: neither holds
  std::vector<std::uint32_t> slot_;  ///< slot of each column + 1; 0: it has none
  std::vector<std::vector<entry>> examples_;
  std::vector<std::uint32_t> columns_, counts_;
  std::vector<float> weights_, partials_;
};

}  // namespace hogwild
