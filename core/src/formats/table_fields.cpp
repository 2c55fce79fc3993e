// SPDX-License-Identifier: Apache-2.0
#include "formats/table_fields.hpp"

#include <algorithm>
#include <bit>

#include "text/byte_search.hpp"

namespace hogwild::detail {
namespace {

bool is_blank(char c, char separator) {
  return (c == ' ' || c == '\t') && c != separator;
}

}  // namespace

text_position position_of(std::size_t at, std::string_view text) {
  const std::string_view before = text.substr(0, at);
  const std::size_t last = before.rfind('\n');
  return {count_byte(before, '\n') + 1, at - (last == before.npos ? 0 : last + 1) + 1};
}

record_cutter::record_cutter(char separator, bool quotes)
    : separator_(separator),
      quotes_(quotes),
      separators_(every_byte(separator)),
      marks_(every_byte(quotes ? '"' : '\n')) {}

std::size_t record_cutter::field_end(std::string_view text, std::size_t at) const {
  for (;; at += 8) {
    const std::uint64_t word = load_eight(text.data() + at);
    const std::uint64_t ends =
        first_zero_byte(word ^ separators_) | first_zero_byte(word ^ every_byte('\n')) | first_zero_byte(word ^ marks_);
    if (ends != 0) return at + (static_cast<unsigned>(std::countr_zero(ends)) >> 3);
  }
}

record_cutter::cut_record record_cutter::cut(std::string_view text, std::vector<text_field>& fields) const {
  fields.clear();
  cut_record found;
  for (std::size_t at = 0;; ++at) {
    while (is_blank(text[at], separator_)) ++at;
    if (quotes_ && text[at] == '"') {
      if (found.fault = cut_quoted(text, at, fields); found.fault.what != nullptr) return found;
      found.lines += count_byte(fields.back().text, '\n');
    } else {
      const std::size_t begin = at;
      at = field_end(text, at);
      if (quotes_ && text[at] == '"') {
        found.fault = {
            "a quotation mark stands within a field; put the whole field into quotation marks, and double those "
            "within it, or have quotation marks read as ordinary characters",
            at};
        return found;
      }
      std::size_t end = at;
      if (text[at] == '\n' && end > begin && text[end - 1] == '\r') --end;
      while (end > begin && is_blank(text[end - 1], separator_)) --end;
      fields.push_back({.text = text.substr(begin, end - begin), .at = begin});
    }
    if (text[at] == '\n') {
      found.bytes = at + 1;
      return found;
    }
  }
}

field_fault record_cutter::cut_quoted(std::string_view text, std::size_t& at, std::vector<text_field>& fields) const {
  const std::size_t opened = at;
  std::size_t end = text.find('"', at + 1);
  while (end != text.npos && text.substr(end + 1, 1) == "\"") end = text.find('"', end + 2);
  if (end == text.npos) return {"a quotation mark opens a field here, and none ends it", opened};
  fields.push_back({.text = text.substr(opened + 1, end - opened - 1), .at = opened, .quoted = true});
  at = end + 1;
  while (is_blank(text[at], separator_)) ++at;
  if (text[at] == '\r' && text[at + 1] == '\n') ++at;
  if (text[at] == separator_ || text[at] == '\n') return {};
  return {"the field is quoted, and something follows its quotation mark; double those within a field", at};
}

}  // namespace hogwild::detail
