// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/tables.hpp>

namespace hogwild::detail {

/// The place of a missing number among the values of a numeric column; the number itself is at 0.
inline constexpr std::uint32_t missing_number = 1;

/// The number of the column that rare values share, among the values of a column; values by name follow it.
inline constexpr std::uint32_t rare_value = 0;
/// Whether a column of this kind has a dictionary of values, or their hash.
constexpr bool has_values(table_kind kind) {
  return kind == table_kind::categorical || kind == table_kind::list || kind == table_kind::text;
}

/// The numbers of a schema that it tells in lines of their own, unless they are as usual.
struct schema_number {
  std::string_view word;
  unsigned table_schema::*member;
  unsigned table_request::*requested;
  unsigned otherwise, most;
};
inline constexpr schema_number schema_numbers[] = {
    {"min-rows", &table_schema::min_rows, &table_request::min_rows, 1, 0xffffffffu},
    {"word-ngrams", &table_schema::word_ngrams, &table_request::word_ngrams, 1, most_word_ngrams},
    {"word-skips", &table_schema::word_skips, &table_request::word_skips, 0, most_word_skips},
    {"least-characters", &table_schema::least_characters, &table_request::least_characters, 0, longest_subword},
    {"most-characters", &table_schema::most_characters, &table_request::most_characters, 0, longest_subword},
};

/// A place that is none, in schema.columns or among the fields of a file.
inline constexpr std::size_t no_column = static_cast<std::size_t>(-1);

/// The meaning of a file's fields.
struct file_columns {
  std::vector<std::size_t> places{};  ///< for each field its column in the schema, or no_column
  std::size_t group = no_column;      ///< the field that has the rows' groups, or no_column
};

/// The columns of a schema whose entries one of its columns combines.
struct table_interaction {
  std::size_t column;                ///< of the schema
  std::vector<std::size_t> factors;  ///< likewise
};
/// Throws config_error if an interaction names what cannot be combined; `source` is the table's name.
std::vector<table_interaction> interactions_of(const table_schema& schema, const std::string& source);
/// Whether an interaction of this name combines two to four different columns, or namespaces whose names begin with
/// different bytes.
bool combines_some(std::string_view interaction, bool namespaces);
/// The columns or namespaces that an interaction of this name combines.
std::vector<std::string> factors_of(std::string_view interaction);
/// Whether the categories of dates fit beside the numbers of all columns, if there is a column of dates.
bool dates_fit(const table_schema& schema);
/// The number of columns that are no interactions.
std::size_t columns_in_files(const table_schema& schema);
/// log2 of the columns that interactions have by hash.
unsigned bits_of_interactions(const table_schema& schema);

/// The schema as lines of text, without values, for saved models; parse_schema() reads them.
std::string schema_text(const table_schema& schema);
/// Throws input_error, with the number of the line within the text, if it is not a schema; `name` is that of its file.
table_schema parse_schema(std::string_view text, const std::string& name);

/// The whole schema, for caches. Reading throws input_error.
std::vector<std::byte> schema_bytes(const table_schema& schema);
table_schema parse_schema_bytes(std::span<const std::byte> bytes, const std::string& name);

/// Takes the values of columns by name from the names of a saved model's columns, which name_of_input() has made.
/// Throws input_error if a name does not suit its column.
void take_values(table_schema& schema, std::span<const std::uint32_t> numbers, std::span<const std::string> names,
                 const std::string& model);

/// A text without control characters; '\' and the characters in `also` are escaped by '\'. And the way back; an
/// unfinished escape stands for itself.
std::string escaped(std::string_view text, std::string_view also = {});
std::string unescaped(std::string_view text);

}  // namespace hogwild::detail
