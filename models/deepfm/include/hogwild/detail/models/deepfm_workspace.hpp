// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/detail/models/sparse_layer.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// One worker's memory for a deepfm; no other thread may use it at the same time. Call take() for each example, then
/// columns().gather() for all of them, and fill in their slots: the factors of each column, then its weight. feed()
/// computes the machine's scores, then the net runs, and in training backward() computes partials.
class deepfm_workspace {
 public:
  /// For at most `batch` examples of `data`, which outlives this and whose columns have fields (deepfm::require_data).
  /// The net has `factors` inputs for each field.
  deepfm_workspace(const sparse_view& data, const net_plan& net, std::size_t factors, isa set, std::size_t batch);

  net_workspace& net() { return net_; }
  sparse_layer& columns() { return columns_; }
  float label(std::size_t k) const { return examples_[k].label; }

  /// Takes the row as example k < batch; its spans need not stay valid. `key` is the seed of its dropout.
  void take(std::size_t k, const sparse_row<float>& z, std::uint64_t key);

  /// Computes the machine's scores of examples 0 .. n-1, and writes the net's inputs.
  void feed(std::size_t n, float bias);
  /// The machine's score, without the net's.
  float score(std::size_t k) const { return examples_[k].score; }

  /// Sets the derivative of the mean loss with respect to the score of example k.
  void set_slope(std::size_t k, float slope) { examples_[k].slope = slope; }
  /// Sums up the columns' partials, and returns the bias's. Call it once slopes are set and the net has the partials of
  /// its input.
  float backward(std::size_t n);

  void stop_when(std::function<bool()> asked) { net_.stop_when(std::move(asked)); }

 private:
  struct example {
    float label = 0.0f;  ///< encoded for training
    float score = 0.0f, slope = 0.0f;
  };

  /// Example k's sums over j of x_j v_j.
  std::span<float> sums(std::size_t k) { return std::span(sums_).subspan(k * factors_, factors_); }
  /// Where the net's input has the factors of the column's field.
  std::size_t field_at(std::uint32_t column) const;

  std::span<const std::uint32_t> numbers_;
  std::size_t factors_;
  net_workspace net_;
  sparse_layer columns_;
  std::vector<example> examples_;
  std::vector<float> sums_, squares_;  ///< squares_: of the current example
  std::vector<float> input_;           ///< of the current example, or its partials
};

}  // namespace hogwild
