// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/model/example.hpp>

namespace hogwild {

/// The first layer of a net on sparse rows, y_k = b + sum_j x_kj W_j, on the columns alone that the rows at hand have.
/// Each of these has a slot, for its weights and for what is found for them. One worker's memory; nobody else may use
/// it meanwhile. Examples go through take(), then gather() for all of them.
class sparse_layer {
 public:
  struct entry {
    std::uint32_t column;
    float x;
  };

  /// For at most `batch` examples of `columns` columns; W_j has `outputs` > 0 numbers.
  sparse_layer(std::size_t columns, std::size_t outputs, std::size_t batch)
      : outputs_(outputs), slot_(columns, 0), examples_(batch) {}

  /// Makes the row, its values times `scale`, example k; its spans may die then.
  void take(std::size_t k, const sparse_row<float>& z, float scale);
  /// Gives the columns of examples 0 .. n-1 slots, in the order in which they come, with partials of 0; does nothing
  /// where that is how they stand.
  void gather(std::size_t n);

  /// The column of each slot.
  std::span<const std::uint32_t> columns() const { return columns_; }
  /// In how many examples it occurs.
  std::uint32_t count(std::size_t slot) const { return counts_[slot]; }
  std::span<float> weights(std::size_t slot) { return std::span(weights_).subspan(slot * outputs_, outputs_); }
  std::span<const float> partials(std::size_t slot) const {
    return std::span(partials_).subspan(slot * outputs_, outputs_);
  }

  /// For who adds to them.
  std::span<float> partials(std::size_t slot) {
    gathered_ = 0;
    return std::span(partials_).subspan(slot * outputs_, outputs_);
  }

  /// What example k has besides values of 0, and where a column of it that has been gathered has its weights.
  std::span<const entry> entries(std::size_t k) const { return examples_[k]; }
  std::size_t slot_of(const entry& e) const { return slot_[e.column] - 1; }

  /// y += sum_j x_kj W_j.
  void forward(std::size_t k, std::span<float> y) const;
  /// Adds what the partials by y give to those of the weights.
  void backward(std::size_t k, std::span<const float> dy);

 private:
  std::size_t outputs_;
  std::size_t gathered_ = 0;         ///< of so many examples the slots are, and partials are 0; 0: of others
  std::vector<std::uint32_t> slot_;  ///< of each column: its slot + 1; 0: it has none
  std::vector<std::vector<entry>> examples_;
  std::vector<std::uint32_t> columns_, counts_;
  std::vector<float> weights_, partials_;
};

}  // namespace hogwild
