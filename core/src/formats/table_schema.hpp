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
