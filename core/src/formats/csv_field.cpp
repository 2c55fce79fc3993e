// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/formats/csv_field.hpp>

#include <algorithm>

namespace hogwild {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

void append_csv_field(std::string& text, std::string_view field, char separator) {
  const auto is_special = [separator](char c) { return c == separator || c == '"' || c == '\r' || c == '\n'; };
  if (field.empty() ||
      (!is_blank(field.front()) && !is_blank(field.back()) && std::ranges::none_of(field, is_special))) {
    text += field;
    return;
  }
  text += '"';
  for (const char c : field) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

}  // namespace hogwild
