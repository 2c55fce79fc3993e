// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/formats/tables.hpp>

namespace hogwild {

// Rows as text again, the way back from data in memory. Numbers are written with the digits that they need to be read
// back exactly, labels as their text spells them. Read again, LIBSVM and libffm text make the same parameters, bit for
// bit, if the lines stand in the order of the input (sparse_view::id) and no row has two entries of one list or text of
// a table, whose order in a row is another one here. Weights and offsets of rows are not part of these texts.

/// LIBSVM text, "label index:value ..." or "label,label,... index:value ...", indices ascending.
class libsvm_text {
 public:
  /// `numbers`: the index of each column, by its position in the rows; distinct.
  libsvm_text(const sparse_dataset& data, std::vector<std::uint32_t> numbers);
  /// Appends row `r` of data.view() as a line; its group becomes "qid:N". Throws input_error, with the number of the
  /// row in the input, if it has neither label nor entry: a blank line is no row.
  void append(std::size_t r, std::string& text);

 private:
  std::string query_of(std::uint32_t group) const;

  sparse_dataset data_;
  bool queries_;  ///< the names of the groups are whole numbers
  std::vector<std::uint32_t> numbers_;
  row_cursor cursor_;
  std::vector<std::pair<std::uint32_t, float>> entries_{};
};

/// libffm text, "label field:index:value ...".
class libffm_text {
 public:
  /// The columns of `data` are those of libffm text, or of a table whose columns are fields (table_request::as_fields).
  /// Throws input_error if rows have lists of labels, which such text does not hold.
  explicit libffm_text(const sparse_dataset& data);
  /// Appends row `r` of data.view() as a line, its entries in their order.
  void append(std::size_t r, std::string& text);

 private:
  sparse_dataset data_;
  row_cursor cursor_;
};

/// A table, as CSV or with another separator.
class table_text {
 public:
  /// `schema` is that of `data`; it outlives this. Throws input_error if fields cannot be told from the rows: of texts,
  /// lists and dates, of values by hash, and those that share the column of rare ones; and if entries were left out.
  table_text(const sparse_dataset& data, const table_schema& schema, char separator);
  /// The record of names, a line; nothing if the table that was read has none.
  std::string header() const;
  /// Appends row `r` of data.view() as a record. Ignored columns are left out, or empty if columns have no names.
  void append(std::size_t r, std::string& text);

 private:
  void append_record(const auto& field_of_column, std::string& text) const;
  std::string label_of(std::size_t r) const;

  sparse_dataset data_;
  const table_schema& schema_;
  char separator_;
  row_cursor cursor_;
  std::vector<std::string> fields_{};
};

/// The indices of columns, by position, for libsvm_text: their places in the order of their numbers in the input, from
/// 1 on, so that equally frequent columns are ordered as before.
std::vector<std::uint32_t> columns_from_1(const sparse_dataset& data);

}  // namespace hogwild
