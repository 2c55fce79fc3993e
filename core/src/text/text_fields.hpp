// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hogwild::detail {

/// The separator between the fields of a line. Blanks come in any number, and end at a tab. The others are single: two
/// in a row enclose an empty field.
enum class separator { tab, comma, semicolon, bar, double_colon, blanks };

/// Its name in a message, "commas".
std::string_view separator_name(separator by);

/// One field of a line, and its place, without the blanks around it.
struct text_field {
  std::string_view text{};  ///< as written; for a quoted field the text between the quotation marks
  std::size_t at = 0;       ///< its first byte in the line, from 0
  bool quoted = false;      ///< then "" in the text stands for one quotation mark
};

/// The content of a field: unquoted if it is quoted, otherwise the text itself.
std::string content_of(const text_field& field);

/// The text of a field before a '#', for fields that may end a line: after names a comment has not been removed yet.
std::string_view without_comment(const text_field& field);

/// The reason why a line cannot be split, and its place, in bytes from 0; null if it could.
struct field_fault {
  const char* what = nullptr;
  std::size_t at = 0;
};

/// Splits a line, without its end, into `fields`. A field that begins with a quotation mark ends at the next one that
/// is not doubled, which the separator or the line's end must follow; everywhere else a quotation mark is an ordinary
/// character. A line of blanks has no fields.
field_fault cut_fields(std::string_view line, separator by, std::vector<text_field>& fields);

/// Whether it is a decimal number, as in data; infinity and NaN count as words.
bool is_number(std::string_view text);

}  // namespace hogwild::detail
