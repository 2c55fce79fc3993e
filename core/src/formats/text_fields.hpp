// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hogwild::detail {

/// What stands between the fields of a line. Blanks come in any number, and end at a tab; the others stand alone, with
/// nothing between two of them where a field is empty.
enum class separator { tab, comma, semicolon, bar, double_colon, blanks };

/// Its name in a message, "commas".
std::string_view separator_name(separator by);

/// One field of a line: where it stands, without the blanks around it.
struct text_field {
  std::string_view text{};  ///< as written; of a quoted one what stands between the quotation marks
  std::size_t at = 0;       ///< its first byte in the line, from 0
  bool quoted = false;      ///< then "" in it is one quotation mark
};

/// What stands in a quoted field, or in another one, for which it is the text itself.
std::string content_of(const text_field& field);

/// What stands in a field in front of a '#', for those that may end a line: behind names its comment is still there.
std::string_view without_comment(const text_field& field);

/// Why a line cannot be cut, and where, in bytes from 0; null where it could be.
struct field_fault {
  const char* what = nullptr;
  std::size_t at = 0;
};

/// Cuts a line, without its end, into fields: `fields` is theirs. A field that begins with a quotation mark ends at the
/// next one that is not doubled, behind which the separator or the line's end must stand; everywhere else a quotation
/// mark is a letter as others are. A line of blanks alone has no fields.
field_fault cut_fields(std::string_view line, separator by, std::vector<text_field>& fields);

/// Whether it is a decimal number, as data have them; infinity and what is no number are words.
bool is_number(std::string_view text);

}  // namespace hogwild::detail
