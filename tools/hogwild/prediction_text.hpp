// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>

namespace hogwild::cli {

/// The forms in which predictions are written: words between blanks, a table (RFC 4180), a JSON object a row.
enum class prediction_format { plain, csv, jsonl };

/// The parts of a prediction.
struct prediction_parts {
  bool probabilities = false;
  std::size_t top = 0;     ///< the number of best labels; 0: the label alone
  double threshold = 0.0;  ///< of the best labels, those with this probability at least; others are left out
  bool ids = false;        ///< the group of each row, as its id, comes first
};

/// Writes the predictions of a model, which outlives it.
class prediction_text {
 public:
  /// Throws config_error for parts that the model does not have.
  prediction_text(const saved_model& saved, const predictor& model, prediction_format format,
                  const prediction_parts& parts);

  /// The line before the first row, if the format has one.
  std::string header() const;
  /// Appends a line for each row, in their order. Row r is called `before` + r + 1 in messages. Rows are scored in
  /// parallel. Throws input_error for a prediction that is not finite.
  void append(std::string& text, const sparse_dataset& rows, std::size_t before = 0) const;

 private:
  struct answer;
  answer answer_to(const sparse_row<float>& z, std::size_t row) const;
  void append_labels(std::string& text, const sparse_dataset& rows, std::size_t before) const;
  void append_line(std::string& text, const answer& said, const std::string* id) const;
  void append_plain(std::string& text, const answer& said) const;
  std::string json_line(const answer& said, const std::string* id) const;

  const saved_model& saved_;
  const predictor& model_;
  prediction_format format_;
  prediction_parts parts_;
};

}  // namespace hogwild::cli
