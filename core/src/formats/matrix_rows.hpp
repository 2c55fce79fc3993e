// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include <hogwild/detail/data/label_spelling.hpp>

#include "data/parsed_text.hpp"
#include "formats/matrix_text.hpp"
#include "formats/word_labels.hpp"

namespace hogwild::detail {

/// The labels of a matrix, one a row, and their spelling.
struct matrix_labels {
  std::vector<double> label{};
  label_spelling spelling{};
  std::unique_ptr<word_labels> words{};  ///< if they are words
};

/// The rows of a matrix, each with its columns in ascending order. Empties `text`. Throws format_error, with `source`
/// as the file, for an entry that occurs twice, and resource_error if there are more rows than memory holds.
std::unique_ptr<parsed_text> rows_of(matrix_text text, const matrix_labels& labels, const std::string& source);

}  // namespace hogwild::detail
