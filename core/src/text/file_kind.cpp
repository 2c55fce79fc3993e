// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/file_kind.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"
#include "text/text_fields.hpp"

namespace hogwild {
namespace {

using detail::file_head;
using detail::kind_row;

file_look find_kind(std::span<const kind_row> rows, const file_head& head) {
  for (const kind_row& row : rows) {
    auto place = row.sees(head);
    if (!place) continue;
    return {.kind = row.kind,
            .what = row.what,
            .remedy = row.remedy,
            .format = row.format,
            .line = place->line,
            .column = place->column,
            .evidence = std::move(place->evidence)};
  }
  return {.what = "nothing that is known here", .remedy = "is this the right file?"};
}

/// Whether the format reads this file, for kinds without a format of their own and formats that read other kinds as
/// well.
bool format_reads(std::string_view format, const file_look& look) {
  if (look.kind == file_kind::unknown || look.format == format) return true;
  // One line that is not as the others makes such a text look like a table; its parser says what is wrong with it.
  if (look.kind == file_kind::table)
    return format == "ratings" || format == "pairs" || format == "triples" || format == "edges" || format == "graph" ||
           format == "vw" || format == "labelled_text";
  return format == "graph" && look.kind == file_kind::dimacs;
}

/// Whether the first word is a number, or numbers with commas between them, as the labels of a row are.
bool begins_with_numbers(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  std::string_view word = line.substr(0, line.find_first_of(blanks));
  while (detail::is_number(word.substr(0, word.find(',')))) {
    if (word.find(',') == word.npos) return true;
    word.remove_prefix(word.find(',') + 1);
  }
  return false;
}

}  // namespace

namespace detail {

file_head::file_head(std::string_view first_bytes, bool whole) {
  const std::string_view all = without_mark(first_bytes);
  bytes = all.substr(0, looked_at_bytes);
  whole = whole && bytes.size() == all.size();
  for (std::string_view left = bytes; !left.empty() && lines.size() < most_lines;) {
    const std::size_t end = left.find('\n');
    // An incomplete line is ignored, unless there is no other.
    if (end == left.npos && !whole && !lines.empty()) break;
    std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
}

void require_text(std::string_view head, const std::string& name) {
  const file_look look = find_kind(kinds_of_bytes(), file_head(head, true));
  if (look.kind != file_kind::unknown) throw input_error(name + ": " + describe(look));
}

void require_words(std::string_view head, const std::string& name, std::string_view expected, std::string_view remedy) {
  constexpr std::array no_words{
      file_kind::text_model, file_kind::lfs_pointer,   file_kind::matrix_market, file_kind::json,
      file_kind::libsvm,     file_kind::libsvm_from_0, file_kind::libffm,        file_kind::libsvm_with_header};
  const file_look look = look_at_bytes(head, false);
  if (std::ranges::find(no_words, look.kind) == no_words.end()) return;
  // A text may begin with a bracket, or have the time of day in it.
  const file_head lines(head, false);
  const bool is_number =
      look.line > 0 && look.line <= lines.lines.size() && begins_with_numbers(lines.lines[look.line - 1]);
  const bool is_row =
      look.kind == file_kind::libsvm || look.kind == file_kind::libsvm_from_0 || look.kind == file_kind::libffm;
  if ((look.kind == file_kind::json && !begins_as_json(lines.bytes)) || (is_row && !is_number)) return;
  throw input_error(name + ": " + describe(look, expected, remedy));
}

void require_kind(std::string_view text, std::string_view format, const std::string& name) {
  const file_look look = look_at_bytes(text, false);
  if (format_reads(format, look)) return;
  if (look.line == 0) throw input_error(name + ": " + describe(look));
  throw format_error(name, look.line, look.column, describe(look));
}

void require_bytes(std::string_view bytes, file_kind wanted, std::string_view expected, const std::string& name,
                   std::string_view remedy) {
  const file_look look = look_at_bytes(bytes, true);
  if (look.kind != file_kind::unknown && look.kind != wanted)
    throw input_error(name + ": " + describe(look, expected, remedy));
}

void require_stored(std::string_view bytes, file_kind wanted, std::string_view expected, const std::string& name,
                    std::string_view remedy) {
  if (look_at_bytes(bytes, true).kind == file_kind::packed_twice)
    throw input_error(name + ": this is a compressed file, and " + std::string(expected) +
                      " is read uncompressed; unpack it");
  require_bytes(bytes, wanted, expected, name, remedy);
}

}  // namespace detail

std::string describe(const file_look& look, std::string_view expected, std::string_view remedy) {
  std::string text = "this is " + std::string(look.what);
  if (!look.evidence.empty()) text += " (" + quote(look.evidence) + ")";
  if (!expected.empty()) text += ", not " + std::string(expected);
  return text + "; " + std::string(remedy.empty() ? look.remedy : remedy);
}

file_look look_at_bytes(std::string_view bytes, bool whole) {
  const file_head head(bytes, whole);
  file_look found = find_kind(detail::kinds_of_bytes(), head);
  if (found.kind != file_kind::unknown || head.bytes.find('\0') != head.bytes.npos) return found;
  return find_kind(detail::kinds_of_text(), head);
}

file_look look_at_file(const std::string& path) {
  const std::string head = detail::read_head(path, looked_at_bytes + detail::byte_order_mark.size() + 1);
  return look_at_bytes(head, head.size() <= looked_at_bytes);
}

}  // namespace hogwild
