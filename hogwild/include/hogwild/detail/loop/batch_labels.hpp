// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>

namespace hogwild {

/// Data of the rows of a batch besides their entries: labels as the model trains on them, weights and offsets.
class batch_labels {
 public:
  explicit batch_labels(const sparse_view& data) : weighed_(!data.weight.empty()), moved_(!data.offset.empty()) {}

  /// Takes these rows' labels, weights and offsets; at most batch_rows rows. Rows with lists of labels get no label.
  void take(const sparse_view& data, const label_map& labels, std::span<const std::size_t> rows) {
    if (!data.label.lists())
      for (std::size_t i = 0; i < rows.size(); ++i) label_[i] = labels.encode(data.label[rows[i]]);
    if (weighed_)
      for (std::size_t i = 0; i < rows.size(); ++i) weight_[i] = data.weight[rows[i]];
    if (moved_)
      for (std::size_t i = 0; i < rows.size(); ++i) offset_[i] = data.offset[rows[i]];
  }

  const float* data() const { return label_.data(); }
  float operator[](std::size_t i) const { return label_[i]; }
  bool weighed() const { return weighed_; }
  /// A partial derivative of row i's loss, times the row's weight.
  float weigh(std::size_t i, float partial) const { return weighed_ ? weight_[i] * partial : partial; }
  /// Row i's margin: `of_parameters`, plus the row's offset.
  float margin(std::size_t i, float of_parameters) const { return moved_ ? of_parameters + offset_[i] : of_parameters; }

 private:
  bool weighed_, moved_;
  std::array<float, batch_rows> label_{}, weight_{}, offset_{};
};

}  // namespace hogwild
