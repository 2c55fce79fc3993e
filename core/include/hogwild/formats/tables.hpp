// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/dataset.hpp>

namespace hogwild {

struct saved_model;

// Tables: text of records with fields between separators (RFC 4180), plain or compressed.
//
// Fields are separated by commas, semicolons, tabs or bars. A field may stand in quotation marks; then it may contain
// separators and line ends, and "" stands for one quotation mark. All records have the same number of fields. Blanks
// around a field that is not quoted do not belong to it. Blank lines are skipped, unless the table has one column. The
// first record is a header if it has the name of the label or none of its fields is a number; without a header columns
// are called "1", "2", ...
//
// As rows of data:
//
//   numeric       an entry with the field's number, or none if this is 0. A missing number (an empty field, NA, N/A,
//                 NaN, null, NULL, None, \N or ?) is an entry of value 1 in a column of its own, which stands for it.
//                 Numbers are divided by a power of two near the root of their mean square, zeros left out, so that a
//                 step suits all columns whatever their units.
//   categorical   an entry of value 1 in the column of the field's value; the empty field is a value, too. Values have
//                 columns by name, or by hash.
//   ignored       nothing

/// The kind of a table's column.
enum class table_kind : std::uint32_t { ignored, label, numeric, categorical };

/// The word for a kind, as in messages and in saved models.
std::string_view name_of(table_kind kind);

/// A column of a table.
struct table_column {
  std::string name{};                     ///< as in the header, or its number
  table_kind kind = table_kind::ignored;  ///< what it is read as
  float divisor = 1.0f;                   ///< of its numbers: a power of two

  bool operator==(const table_column&) const = default;
};

/// The way in which a table is read. A '*' in a name stands for any text; a name without it must occur, and takes
/// precedence over one with it. What no name fits is guessed from the first rows: numeric if all fields are numbers or
/// missing, and one at least is a number, else categorical.
struct table_request {
  std::string label{};                     ///< empty: the rows have no label
  std::vector<std::string> numeric{};      ///< columns of numbers
  std::vector<std::string> categorical{};  ///< columns of values
  std::vector<std::string> ignored{};      ///< columns that are left out
  std::optional<char> separator{};         ///< one of , ; tab |
  std::optional<bool> header{};            ///< whether the first record has the names
  bool quotes = true;                      ///< false: quotation marks are ordinary characters
  bool scaled = true;                      ///< false: numbers are taken as they are
  unsigned hash_bits = 0;  ///< 0: values have columns by name; n: 2^n columns for each categorical column
  /// Columns of the table are the fields of formats/libffm.hpp, which leaves 22 bits for values.
  bool as_fields = false;
};

/// The least of table_request::hash_bits, apart from 0.
inline constexpr unsigned least_hash_bits = 8;
/// The most of table_request::hash_bits.
inline constexpr unsigned most_hash_bits = 22;

/// The meaning of a table's columns: how its fields become entries of rows. A saved model holds that of its training
/// data.
struct table_schema {
  char separator = ',';      ///< between fields
  bool header = true;        ///< the first record has the names
  bool quotes = true;        ///< quotation marks enclose fields
  unsigned hash_bits = 0;    ///< as in the request
  unsigned value_bits = 22;  ///< of a column's input number less 1, for the value; the others: the table's column
  std::vector<table_column> columns{};  ///< in the order of the first file
  /// The values of each categorical column that have columns by name, by number - 1; empty for other columns.
  std::vector<std::vector<std::string>> values{};
  /// The labels in words, in the order of their bytes: label k is labels[k]. Empty if labels are numbers.
  std::vector<std::string> labels{};

  /// The name of a column of the rows, by its number in the input: "price", "price=missing", "site=news", or
  /// "site=#12345" for a hash. A '\' escapes itself, control characters ("\x0a") and '=' in the name of a table's
  /// column.
  std::string name_of_input(std::uint32_t number) const;

  bool operator==(const table_schema&) const = default;
};

/// The rows of a table and the meaning of its columns.
struct table {
  sparse_dataset rows;                         ///< as training data
  std::shared_ptr<const table_schema> schema;  ///< never null
};

/// The columns of each kind in one sentence.
std::string describe(const table_schema& schema);

/// Opens a table as training data. Its cache holds the schema. Throws what open_libsvm() throws; format_error also for
/// a record of another number of fields, a quotation mark out of place, and a number that is none; config_error for
/// names that do not fit the table.
table open_table(const std::string& path, const table_request& how, const open_options& options = {});

/// Opens a table by the schema of another one: columns are found by name, in any order; further ones are skipped. The
/// label may be missing with labels_optional. Throws input_error for a missing column. Values that the schema does not
/// have are columns that open_options::numbering does not know. The schema need not outlive the call.
sparse_dataset open_table(const std::string& path, const table_schema& schema, const open_options& options = {});

/// Opens a table as further training data for a model with this schema: columns are found by name, and values and
/// labels that the schema does not have get numbers after the known ones. Throws as the others.
table open_more_of_table(const std::string& path, const table_schema& schema, const open_options& options = {});

/// The schema of a saved model, with the values that its columns are named by; nothing if its rows were no table.
/// Throws input_error, with `name` for the model, if it does not hold together.
std::optional<table_schema> schema_of(const saved_model& model, const std::string& name);
/// Gives a model that went on from another one the columns of that one that its own rows do not have, with their
/// parameters, if a column has as many in both. Returns how many.
std::size_t keep_columns(const saved_model& before, saved_model& model);
/// Gives a model, trained on rows of a table, the schema, the names of its columns unless they are hashed, and the
/// words of its labels.
void keep_schema(const table_schema& schema, saved_model& model);

/// A report on the first rows of a table.
struct table_look {
  table_schema schema{};                ///< without values and divisors
  std::size_t rows = 0;                 ///< looked at
  std::vector<std::size_t> distinct{};  ///< values of each column among them
  std::vector<std::size_t> missing{};   ///< empty fields, and words for missing numbers
  std::vector<std::string> least{};     ///< for columns of numbers the least one, as written; else empty
  std::vector<std::string> most{};      ///< likewise the greatest one
};

/// Looks at the first megabyte of a table. Throws as open_table().
table_look look_at_table(const std::string& path, const table_request& how);

}  // namespace hogwild
