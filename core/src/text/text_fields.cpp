// SPDX-License-Identifier: Apache-2.0
#include "text/text_fields.hpp"

#include "text/decimal.hpp"

namespace hogwild::detail {
namespace {

bool is_gap(char c) {
  return c == ' ' || c == '\t';
}

/// Length of the separator at `at`; 0: there is none.
std::size_t separator_at(std::string_view line, std::size_t at, separator by) {
  const char c = line[at];
  switch (by) {
    case separator::tab:
      return c == '\t' ? 1 : 0;
    case separator::comma:
      return c == ',' ? 1 : 0;
    case separator::semicolon:
      return c == ';' ? 1 : 0;
    case separator::bar:
      return c == '|' ? 1 : 0;
    case separator::double_colon:
      return line.substr(at, 2) == "::" ? 2 : 0;
    case separator::blanks:
      return is_gap(c) ? 1 : 0;
  }
  return 0;
}

std::size_t skip_gaps(std::string_view line, std::size_t at, separator by) {
  while (at < line.size() && is_gap(line[at]) && (by == separator::blanks || separator_at(line, at, by) == 0)) ++at;
  return at;
}

}  // namespace

std::string_view separator_name(separator by) {
  constexpr std::string_view names[] = {"tabs", "commas", "semicolons", "bars", "'::'", "blanks"};
  return names[static_cast<std::size_t>(by)];
}

std::string content_of(const text_field& field) {
  std::string content(field.text);
  for (std::size_t at = content.find("\"\""); field.quoted && at != content.npos; at = content.find("\"\"", at + 1))
    content.erase(at, 1);
  return content;
}

std::string_view without_comment(const text_field& field) {
  if (field.quoted) return field.text;
  std::string_view text = field.text.substr(0, field.text.find('#'));
  while (!text.empty() && is_gap(text.back())) text.remove_suffix(1);
  return text;
}

field_fault cut_fields(std::string_view line, separator by, std::vector<text_field>& fields) {
  fields.clear();
  std::size_t at = skip_gaps(line, 0, by);
  if (at == line.size()) return {};
  for (;;) {
    text_field field{.at = at};
    if (at < line.size() && line[at] == '"') {
      const std::size_t opened = at;
      std::size_t end = line.find('"', at + 1);
      while (end != line.npos && line.substr(end + 1, 1) == "\"") end = line.find('"', end + 2);
      if (end == line.npos) return {"a quotation mark opens a field here, and none ends it on this line", opened};
      field = {.text = line.substr(at + 1, end - at - 1), .at = opened, .quoted = true};
      const std::size_t behind = end + 1;
      at = skip_gaps(line, behind, by);
      const bool parted = by == separator::blanks && at > behind;
      if (at < line.size() && !parted && separator_at(line, at, by) == 0)
        return {"the field is quoted, and something follows its quotation mark; double those within a field", at};
    } else {
      std::size_t end = at;
      while (at < line.size() && separator_at(line, at, by) == 0)
        if (!is_gap(line[at++])) end = at;
      field.text = line.substr(field.at, end - field.at);
    }
    fields.push_back(field);
    if (by == separator::blanks) {
      at = skip_gaps(line, at, by);
      if (at == line.size()) return {};
      continue;
    }
    if (at == line.size()) return {};
    at = skip_gaps(line, at + separator_at(line, at, by), by);
  }
}

bool is_number(std::string_view text) {
  double number = 0;
  return !text.empty() && read_decimal(text.data(), text.data() + text.size(), number) == number_fault::none;
}

}  // namespace hogwild::detail
