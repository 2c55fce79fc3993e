// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/rows.hpp>

#include "arrays.hpp"

namespace hogwild::python {

/// Rows that Python has handed over, in arrays that are borrowed and kept alive, or in a dataset. Nothing changes them,
/// so any thread may train on them; who has them in Python must not write into borrowed arrays meanwhile.
class python_rows {
 public:
  explicit python_rows(sparse_dataset rows, std::uint32_t first_column = 0)
      : rows_(std::move(rows)), first_column_(first_column) {}
  explicit python_rows(corpus text) : rows_(std::move(text.rows)), words_(std::move(text.words)) {}
  /// `labels`: those of the rows where single precision does not hold them; else none.
  python_rows(csr_rows rows, std::vector<array> kept, std::vector<double> labels)
      : rows_(std::move(rows)), kept_(std::move(kept)), labels_(std::move(labels)) {}
  python_rows(dense_rows rows, std::vector<array> kept) : rows_(std::move(rows)), kept_(std::move(kept)) {}

  /// Valid as long as this object stays where it is.
  sparse_view view() const {
    sparse_view all = std::visit([](const auto& rows) { return rows.view(); }, rows_);
    if (!labels_.empty()) all.label = label_column(std::span<const double>(labels_));
    return all;
  }
  /// The dataset, where it is one.
  const sparse_dataset* dataset() const { return std::get_if<sparse_dataset>(&rows_); }
  /// The words that rows are of, where they are a text.
  const std::optional<vocabulary>& words() const { return words_; }
  /// The caller's number of each column.
  std::vector<std::uint32_t> columns() const;
  /// What the caller calls the first column: 1 of LIBSVM text and images, 0 of arrays and all else.
  std::uint32_t first_column() const { return first_column_; }

 private:
  std::variant<sparse_dataset, csr_rows, dense_rows> rows_;
  std::vector<array> kept_{};
  std::vector<double> labels_{};
  std::optional<vocabulary> words_{};
  std::uint32_t first_column_ = 0;
};

}  // namespace hogwild::python
