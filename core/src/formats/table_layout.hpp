// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/tables.hpp>

#include "formats/table_schema.hpp"

namespace hogwild::detail {

/// Whether a text stands for a missing number.
bool is_missing(std::string_view text);

/// Throws config_error for a request that no text suits.
void require_request(const table_request& how);
/// The schema of a text that is no table.
table_schema schema_of_text(const table_request& how);
// Texts are whole lines, and followed by text_padding readable bytes.

/// Looks at the first records of a table: finds out separator, header and kinds, where the request does
/// not say them. `source` is the file's name for messages. Throws as open_table().
table_look look_at_records(std::string_view text, const table_request& how, const std::string& source);

/// The place of the label, or no_column.
std::size_t label_place(const table_schema& schema);
/// Whether a label in the text, which begins with the table, is a word: no number, and nothing that stands for one.
bool has_word_labels(std::string_view text, const table_schema& schema);
/// The columns of a file whose first records the schema was made from.
file_columns columns_of(const table_schema& schema);
/// The columns of a file whose first records are `text`. Throws input_error if the file lacks one of the schema; the
/// label may lack, and `for_prediction` the weight and the group.
file_columns match_columns(std::string_view text, const table_schema& schema, const std::string& source,
                           bool for_prediction);

}  // namespace hogwild::detail
