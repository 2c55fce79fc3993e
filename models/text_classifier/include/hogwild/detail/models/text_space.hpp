// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/embeddings/row_limit.hpp>
#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>
#include <hogwild/detail/models/example_labels.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/models/softmax.hpp>

namespace hogwild {

/// One worker's memory for a block of texts against all labels. Call take() for each text, write the rows of labels and
/// the mean of each text's rows, then call differentiate() or losses().
/// Gradients are bounded by row_limit.
class text_space {
 public:
  static constexpr float most_change = 8.0f;  ///< of a score, by a step of 1

  /// For at most `batch` texts of `columns` columns; rows have `width` floats, a multiple of embedding_lanes.
  text_space(std::size_t width, std::size_t columns, const softmax& of_labels, isa set, std::size_t batch);

  /// A column of a text, and its part of the mean of the text's rows.
  struct entry {
    std::uint32_t column;
    float part;
  };

  /// Copies a text. With several labels the softmax learns one of them, drawn by the random number.
  void take(std::size_t k, const sparse_row<float>& z, const counter_random& random);
  std::span<const entry> entries(std::size_t k) const { return texts_[k].entries; }
  /// 0: it changes nothing.
  float weight(std::size_t k) const { return texts_[k].weight; }

  /// The rows of all labels.
  std::span<float> labels() { return labels_.part(0, of_labels_.classes * width_); }
  /// Makes text k a sum of rows; it begins with zeros.
  void clear(std::size_t k);
  std::span<float> row() { return row_.part(0, width_); }
  /// Adds what is in row().
  void add_row(std::size_t k, float part);

  /// Computes the gradient of the sum of the losses of the first n texts, times their weights.
  void differentiate(std::size_t n);
  std::span<const float> label_gradients() { return label_gradients_.part(0, of_labels_.classes * width_); }
  /// The gradient with respect to the row of an entry of text k; valid until the next call.
  std::span<const float> row_gradient(std::size_t k, const entry& of);

  /// Losses of the first n texts, without weights, and their best labels. If there is room, the scores of all labels,
  /// text by text.
  void losses(std::size_t n, std::span<row_score> to, std::span<float> of_classes);

 private:
  struct text {
    std::vector<entry> entries{};
    std::uint32_t drawn = 0;  ///< the place of a label among those of the text
    float weight = 0.0f;
  };

  std::span<float> row_in(lined_floats& rows, std::size_t r) { return rows.part(r * width_, width_); }
  std::span<float> scores(std::size_t k) { return scores_.part(k * padded_, padded_); }

  void score(std::size_t n);
  /// Turns the scores of text k into derivatives.
  void derive(std::size_t k);
  row_score softmax_loss(std::size_t k);
  /// Makes gradients smaller that change too much.
  void limit(std::size_t n);

  std::size_t width_;
  softmax of_labels_;
  std::size_t padded_;  ///< labels, padded with rows of zeros that do not count
  const embedding_kernels& kernels_;
  row_limit limit_;
  example_labels given_;
  std::vector<text> texts_;
  lined_floats sums_, labels_, gradients_, label_gradients_;
  lined_floats text_panels_, label_panels_, scores_, row_, probable_;
  std::vector<float> column_changes_;  ///< of the block's columns: bounds what a step of 1 changes; of others anything
  /// The text and the factor whose gradient row_ holds, if any.
  std::optional<std::pair<std::size_t, float>> scaled_{};
};

}  // namespace hogwild
