// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/formats/tables.hpp>
#include <hogwild/rows.hpp>
#include <hogwild/saved_model.hpp>

#include "arrays.hpp"

namespace hogwild::python {

/// Rows passed from Python, in borrowed arrays that are kept alive, or in a dataset. Nothing changes them, so any
/// thread may train on them; their owner in Python must not write into borrowed arrays meanwhile.
class python_rows {
 public:
  /// `schema`: that of a table; null for other rows. `names`: of users and items, or of entities and relations; null if
  /// columns have none.
  explicit python_rows(sparse_dataset rows, std::uint32_t first_column = 0,
                       std::shared_ptr<const table_schema> schema = nullptr,
                       std::shared_ptr<const rating_names> names = nullptr)
      : rows_(std::move(rows)), first_column_(first_column), schema_(std::move(schema)), names_(std::move(names)) {}
  /// Pairs with features of these names.
  python_rows(sparse_dataset rows, std::shared_ptr<const rating_names> features)
      : rows_(std::move(rows)), features_(std::move(features)) {}
  explicit python_rows(corpus text) : rows_(std::move(text.rows)), words_(std::move(text.words)) {}
  /// `labels`: those of the rows if single precision does not hold them; else empty.
  python_rows(csr_rows rows, std::vector<array> kept, std::vector<double> labels)
      : rows_(std::move(rows)), kept_(std::move(kept)), labels_(std::move(labels)) {}
  python_rows(dense_rows rows, std::vector<array> kept) : rows_(std::move(rows)), kept_(std::move(kept)) {}

  /// Valid as long as this object is not moved or destroyed.
  sparse_view view() const {
    sparse_view all = std::visit([](const auto& rows) { return rows.view(); }, rows_);
    if (!labels_.empty()) all.label = label_column(std::span<const double>(labels_));
    return all;
  }
  /// The dataset, if it is one; else null.
  const sparse_dataset* dataset() const { return std::get_if<sparse_dataset>(&rows_); }
  /// The words of a text; nothing for other rows.
  const std::optional<vocabulary>& words() const { return words_; }
  /// That of a table, or of labelled text; null for other rows.
  const table_schema* schema() const { return schema_.get(); }
  /// The words of labels that are words, by number; empty if labels are numbers.
  std::span<const std::string> label_words() const;
  /// The names of the features of users and items; null without features.
  const rating_names* features() const { return features_.get(); }
  /// Gives a model that was trained on these rows what is known of their columns and labels.
  void name_columns(saved_model& saved) const;
  /// The name of each column; empty if they have none.
  std::vector<std::string> column_names() const;
  /// The caller's number of each column.
  std::vector<std::uint32_t> columns() const;
  /// The caller's number of the first column: 1 for LIBSVM text and images, 0 for arrays and all else.
  std::uint32_t first_column() const { return first_column_; }

 private:
  std::variant<sparse_dataset, csr_rows, dense_rows> rows_;
  std::vector<array> kept_{};
  std::vector<double> labels_{};
  std::optional<vocabulary> words_{};
  std::uint32_t first_column_ = 0;
  std::shared_ptr<const table_schema> schema_{};
  std::shared_ptr<const rating_names> names_{};
  std::shared_ptr<const rating_names> features_{};
};

}  // namespace hogwild::python
