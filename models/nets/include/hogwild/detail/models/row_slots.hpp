// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hogwild {

/// The rows of a layer, `inputs` weights and a bias each, that a batch reads and changes. Each has a slot, in the order
/// in which slots were asked for. One worker's memory; no other thread may use it at the same time.
class row_slots {
 public:
  row_slots(std::size_t rows, std::size_t inputs) : inputs_(inputs), slot_(rows, 0) {}

  /// Gives a row a slot, unless it has one.
  void give(std::uint32_t row) {
    if (slot_[row] != 0) return;
    rows_.push_back(row);
    slot_[row] = static_cast<std::uint32_t>(rows_.size());
  }
  /// Frees all slots.
  void clear() {
    for (const std::uint32_t row : rows_) slot_[row] = 0;
    rows_.clear();
  }
  /// To be called once all rows have their slots: sets partials to 0.
  void begin() {
    weights_.resize(rows_.size() * inputs_);
    biases_.resize(rows_.size());
    partials_.assign(rows_.size() * inputs_, 0.0f);
    bias_partials_.assign(rows_.size(), 0.0f);
  }

  std::size_t size() const { return rows_.size(); }
  /// The row of each slot.
  std::span<const std::uint32_t> rows() const { return rows_; }
  /// The slot of a row that has one.
  std::size_t of(std::uint32_t row) const { return slot_[row] - std::size_t{1}; }

  std::span<float> weights(std::size_t slot) { return std::span(weights_).subspan(slot * inputs_, inputs_); }
  float& bias(std::size_t slot) { return biases_[slot]; }
  /// The weights of all slots, in their order.
  std::span<const float> weights() const { return weights_; }

  std::span<float> partials() { return partials_; }
  std::span<const float> partials() const { return partials_; }
  std::span<float> partials(std::size_t slot) { return std::span(partials_).subspan(slot * inputs_, inputs_); }
  std::span<const float> partials(std::size_t slot) const { return partials().subspan(slot * inputs_, inputs_); }
  std::span<float> bias_partials() { return bias_partials_; }
  std::span<const float> bias_partials() const { return bias_partials_; }

 private:
  std::size_t inputs_;
  std::vector<std::uint32_t> slot_;  ///< slot of each row + 1; 0: it has none
  std::vector<std::uint32_t> rows_{};
  std::vector<float> weights_{}, biases_{}, partials_{}, bias_partials_{};
};

}  // namespace hogwild
