// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/tables.hpp>

namespace hogwild::detail {

/// Whether a text stands for a missing number.
bool is_missing(std::string_view text);

/// Looks at the first records of a table, whole lines: finds out separator, header and kinds, where the request does
/// not say them. `source` is the file's name for messages. Throws as open_table().
table_look look_at_records(std::string_view text, const table_request& how, const std::string& source);

/// A place in schema.columns that is none.
inline constexpr std::size_t no_column = static_cast<std::size_t>(-1);
/// The place of the label, or no_column.
std::size_t label_place(const table_schema& schema);
/// Whether a label in the text, which begins with the table, is a word: no number, and nothing that stands for one.
bool has_word_labels(std::string_view text, const table_schema& schema);
/// For each field of a file whose first records are `text` the place of its column in the schema, or no_column for a
/// further one. Throws input_error if the file lacks a column; the label may lack, and `for_prediction` the
/// weight.
std::vector<std::size_t> match_columns(std::string_view text, const table_schema& schema, const std::string& source,
                                       bool for_prediction);

}  // namespace hogwild::detail
