// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
//   list          an entry for each different value between bars (between commas, if bars separate fields). All entries
//                 are equal, and their squares add up to 1 before those of one column (by hash, or of rare values) are
//                 added up. An empty field has none.
//   text          an entry for each different word, and run of words if asked for. Letters, digits and all bytes beyond
//                 ASCII make words; ASCII letters become small ones. An entry is proportional to the word's count, and
//                 the squares of a field's entries add up to 1, as those of a list.
//   date          an entry of value 1 each for its year, month, weekday and, if the field has a time, hour:
//                 2026-11-30, 2026/11/30 or 20261130, with or without a time behind a blank or T (13:45, 13:45:59.5, Z
//                 and +01:00 are not heeded), or seconds since 1970 (9 to 11 digits, UTC). A missing one is as a
//                 missing number.
//   interaction   named by columns between '*': an entry for each combination of their entries, whose value is the
//                 product of theirs. Combinations have columns by hash. A missing number has no combinations.
//   weight        nothing; the number, of at least 0, is the row's weight
//   ignored       nothing

/// The text of rows whose columns have names or hashes.
enum class named_text : std::uint32_t {
  table,
  /// fastText's labelled text: "__label__A __label__B word word ...". Labels are words. Columns are those of words, by
  /// name or hash, and of runs of words and parts of words, by fastText's hash; the squares of a row's entries add up
  /// to 1.
  labelled_text,
  /// Vowpal Wabbit's text: "[label [importance [base]]] [tag]|namespace[:weight] feature[:value] ...". Columns are
  /// those of its hash, the importance is the row's weight, and the base its offset.
  vowpal_wabbit
};

/// The kind of a table's column.
enum class table_kind : std::uint32_t { ignored, label, numeric, categorical, list, text, date, interaction, weight };

/// The word for a kind, as in messages and in saved models.
std::string_view name_of(table_kind kind);

/// The separator of a word: comma, semicolon, tab or bar. Nothing for other words.
std::optional<char> separator_named(std::string_view word);

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
  named_text text = named_text::table;  ///< what is read
  std::string label{};                  ///< empty: the rows have no label
  std::string weight{};                 ///< the column of the rows' weights; empty: there is none
  /// The column of the rows' groups; empty: there is none. It makes entries only if it is named as another kind, too.
  std::string group{};
  std::vector<std::string> numeric{};      ///< columns of numbers
  std::vector<std::string> categorical{};  ///< columns of values
  std::vector<std::string> lists{};        ///< columns of several values
  std::vector<std::string> texts{};        ///< columns of text
  std::vector<std::string> dates{};        ///< columns of dates and times
  std::vector<std::string> ignored{};      ///< columns that are left out
  /// Combinations of columns, "site*device", here without patterns. One of the columns may be a list or a text.
  std::vector<std::string> interactions{};
  std::optional<char> separator{};  ///< one of , ; tab |
  std::optional<bool> header{};     ///< whether the first record has the names
  bool quotes = true;               ///< false: quotation marks are ordinary characters
  bool scaled = true;               ///< false: numbers are taken as they are
  unsigned hash_bits = 0;           ///< 0: values have columns by name; n: 2^n columns for each column of values
  /// Values of a column in fewer rows share one column, with those that the training data do not have. For values by
  /// name, at least 1.
  std::uint32_t min_rows = 1;
  unsigned word_ngrams = 1;  ///< the most words of a text in a run that has a column of its own
  unsigned word_skips = 0;   ///< Vowpal Wabbit's text: the most words that a run passes over
  /// Labelled text: the least and the most characters of parts of words, which have columns by hash; 0: they have none.
  unsigned least_characters = 0, most_characters = 0;
  /// Columns of the table are the fields of formats/libffm.hpp, which leaves 22 bits for values.
  bool as_fields = false;
};

/// The least of table_request::hash_bits, apart from 0.
inline constexpr unsigned least_hash_bits = 8;
/// The most of table_request::hash_bits.
inline constexpr unsigned most_hash_bits = 22;
/// The most of table_request::word_ngrams.
inline constexpr unsigned most_word_ngrams = 8;
/// The most of table_request::word_skips.
inline constexpr unsigned most_word_skips = 8;
/// The most of table_request::most_characters.
inline constexpr unsigned longest_subword = 16;
/// Of Vowpal Wabbit's text: log2 of the columns, unless table_request::hash_bits says it.
inline constexpr unsigned vw_hash_bits = 18;
/// Of Vowpal Wabbit's text: the most of table_request::hash_bits.
inline constexpr unsigned most_vw_hash_bits = 30;
/// log2 of the columns of an interaction, if values have columns by name.
inline constexpr unsigned interaction_bits = 20;

/// The members of table_request that name columns, apart from the label.
inline constexpr std::pair<table_kind, std::vector<std::string> table_request::*> columns_by_kind[] = {
    {table_kind::numeric, &table_request::numeric}, {table_kind::categorical, &table_request::categorical},
    {table_kind::list, &table_request::lists},      {table_kind::text, &table_request::texts},
    {table_kind::date, &table_request::dates},      {table_kind::ignored, &table_request::ignored}};

/// The meaning of a table's columns: how its fields become entries of rows. A saved model holds that of its training
/// data.
struct table_schema {
  named_text text = named_text::table;  ///< as in the request
  char separator = ',';                 ///< between fields
  bool header = true;                   ///< the first record has the names
  bool quotes = true;                   ///< quotation marks enclose fields
  unsigned hash_bits = 0;               ///< as in the request
  unsigned value_bits = 22;       ///< of a column's input number less 1, for the value; the others: the table's column
  std::uint32_t min_rows = 1;     ///< as in the request
  unsigned word_ngrams = 1;       ///< as in the request
  unsigned word_skips = 0;        ///< as in the request
  unsigned least_characters = 0;  ///< as in the request
  unsigned most_characters = 0;   ///< as in the request
  std::string group{};            ///< the name of the column of the rows' groups; empty: there is none
  std::vector<table_column> columns{};  ///< in the order of the first file; behind them interactions
  /// The values of each column that have columns by name, by number - 1; empty for columns without values.
  std::vector<std::vector<std::string>> values{};
  /// The labels in words, in the order of their bytes: label k is labels[k]. Empty if labels are numbers.
  std::vector<std::string> labels{};

  /// The name of a column of the rows, by its number in the input: "price", "price=missing", "site=news",
  /// "site=(rare)", "day=month:11", or "site=#12345" for a hash. A '\' escapes itself, control characters ("\x0a"), '='
  /// in the name of a table's column and '(' in a value.
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
/// label and the weight may be missing with labels_optional. Throws input_error for a missing column. Values that the
/// schema does not have are columns that open_options::numbering does not know. The schema need not outlive the call.
/// The column of groups may be missing with labels_optional; it may also be one that the schema does not have.
sparse_dataset open_table(const std::string& path, const table_schema& schema, const open_options& options = {});

/// Opens a table as further training data for a model with this schema: columns are found by name, and values and
/// labels that the schema does not have get numbers after the known ones. Throws as the others.
table open_more_of_table(const std::string& path, const table_schema& schema, const open_options& options = {});

/// The schema of a saved model, with the values that its columns are named by; nothing if its rows were no table.
/// Throws input_error, with `name` for the model, if it does not hold together.
std::optional<table_schema> schema_of(const saved_model& model, const std::string& name);
/// Gives a model that went on from another one the columns of that one that its own rows do not have, with their
/// parameters, if a column has as many in both, and their part of the optimiser's state if the run went on with it;
/// else they have zeros there. Returns how many.
std::size_t keep_columns(const saved_model& before, saved_model& model);
/// Gives a model, trained on rows of a table, the schema, the names of its columns unless they are hashed, and the
/// words of its labels.
void keep_schema(const table_schema& schema, saved_model& model);

/// A report on the first rows of a table.
struct table_look {
  table_schema schema{};                ///< without values and divisors
  std::vector<bool> named{};            ///< whether the request says the kind of each column
  std::size_t rows = 0;                 ///< looked at
  std::vector<std::size_t> distinct{};  ///< values of each column among them
  std::vector<std::size_t> missing{};   ///< empty fields, and words for missing numbers
  std::vector<std::string> least{};     ///< for columns of numbers the least one, as written; else empty
  std::vector<std::string> most{};      ///< likewise the greatest one
};

/// Looks at the first megabyte of a table. Throws as open_table().
table_look look_at_table(const std::string& path, const table_request& how);

}  // namespace hogwild
