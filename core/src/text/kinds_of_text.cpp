// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "text/decimal.hpp"
#include "text/known_kinds.hpp"
#include "text/text_fields.hpp"

namespace hogwild::detail {
namespace {

using text_place = std::optional<kind_place>;

constexpr std::string_view gaps = " \t";

/// A line that is neither blank nor a comment.
struct content_line {
  std::string_view text;  ///< without the blanks before it
  std::size_t line, column;
};

std::vector<content_line> content_lines(const file_head& head, char comment = '#') {
  std::vector<content_line> found;
  for (std::size_t k = 0; k < head.lines.size(); ++k) {
    const std::size_t begin = head.lines[k].find_first_not_of(gaps);
    if (begin == head.lines[k].npos || head.lines[k][begin] == comment) continue;
    found.push_back({head.lines[k].substr(begin), k + 1, begin + 1});
  }
  return found;
}

text_place seen_at(const content_line& line, std::string_view evidence) {
  return kind_place{line.line, line.column + static_cast<std::size_t>(evidence.data() - line.text.data()),
                    std::string(evidence)};
}

/// The first line of the file if it begins with `begin`.
text_place text_begins_with(const file_head& head, std::string_view begin) {
  const std::vector<content_line> lines = content_lines(head, '\0');
  if (lines.empty() || !lines.front().text.starts_with(begin)) return std::nullopt;
  return seen_at(lines.front(), lines.front().text.substr(0, begin.size()));
}

text_place see_matrix_market(const file_head& head) {
  constexpr std::string_view banner = "%%matrixmarket";
  const std::vector<content_line> lines = content_lines(head);
  const auto alike = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b | 0x20) : b); };
  if (lines.empty() || lines.front().text.size() < banner.size() ||
      !std::ranges::equal(banner, lines.front().text.substr(0, banner.size()), alike))
    return std::nullopt;
  return seen_at(lines.front(), lines.front().text.substr(0, banner.size()));
}

text_place see_json(const file_head& head) {
  const std::vector<content_line> lines = content_lines(head);
  if (lines.empty()) return std::nullopt;
  const char first = lines.front().text.front();
  if (first != '[' && !begins_as_json(head.bytes) &&
      (first != '{' || lines.front().text.find_first_not_of(" \t\r{\"}") == lines.front().text.npos))
    return std::nullopt;
  return seen_at(lines.front(), lines.front().text.substr(0, 1));
}

text_place see_markup(const file_head& head) {
  const std::vector<content_line> lines = content_lines(head);
  if (lines.empty() || lines.front().text.size() < 2 || lines.front().text[0] != '<') return std::nullopt;
  const char next = lines.front().text[1];
  const bool tag = next == '!' || next == '?' || ((next | 0x20) >= 'a' && (next | 0x20) <= 'z');
  return tag ? seen_at(lines.front(), lines.front().text.substr(0, lines.front().text.find('>') + 1)) : std::nullopt;
}

std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = text.find_first_not_of(gaps); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(gaps, at), text.size());
    tokens.push_back(text.substr(at, end - at));
    at = std::min(text.find_first_not_of(gaps, end), text.size());
  }
  return tokens;
}

/// "[label [importance [base]]] [tag]|namespace feature ..."
bool is_vowpal_wabbit(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == line.npos) return false;
  std::vector<std::string_view> before = tokens_of(line.substr(0, bar));
  const bool tagged = bar > 0 && gaps.find(line[bar - 1]) == gaps.npos;
  // A tag without a label before it has an apostrophe; otherwise "1|2|3" would be such a line.
  if (tagged && before.size() == 1 && before.front().front() != '\'') return false;
  if (tagged || (!before.empty() && before.back().front() == '\'')) before.pop_back();
  return before.size() <= 3 && std::ranges::all_of(before, is_number);
}

text_place see_vowpal_wabbit(const file_head& head) {
  const std::vector<content_line> lines = content_lines(head, '\0');
  if (lines.empty() || !std::ranges::all_of(lines, [](const content_line& l) { return is_vowpal_wabbit(l.text); }))
    return std::nullopt;
  return seen_at(lines.front(), lines.front().text.substr(lines.front().text.find('|'), 1));
}

bool is_whole_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}
/// "index:value"
bool is_pair_token(std::string_view token) {
  const std::size_t colon = token.find(':');
  return colon != token.npos && is_whole_token(token.substr(0, colon)) && is_number(token.substr(colon + 1));
}
/// "field:index:value"
bool is_triple_token(std::string_view token) {
  const std::size_t colon = token.find(':');
  return colon != token.npos && is_whole_token(token.substr(0, colon)) && is_pair_token(token.substr(colon + 1));
}

/// The form of the tokens after the label of a line.
enum class line_shape { label, pairs, triples, others };

/// A label, or several numbers with commas between them; fields of a table are none.
bool may_be_label(std::string_view token) {
  if (token.find_first_of(",;|") == token.npos) return true;
  while (!token.empty()) {
    const std::string_view one = token.substr(0, token.find(','));
    if (!is_number(one)) return false;
    token.remove_prefix(std::min(token.size(), one.size() + 1));
  }
  return true;
}

/// Whether all tokens behind the first are entries, and there is one.
bool has_entries_behind(const std::vector<std::string_view>& tokens) {
  const auto is_entry = [](std::string_view token) { return is_pair_token(token) || is_triple_token(token); };
  return tokens.size() > 1 && std::all_of(tokens.begin() + 1, tokens.end(), is_entry);
}

/// Whether a line begins with labels, if its first token has entries behind it. Words with commas between them are
/// fields of a table, too, whose last one may be a time, "10:00": so there are two entries at least.
bool begins_with_labels(const std::vector<std::string_view>& tokens) {
  if (may_be_label(tokens.front())) return true;
  return tokens.front().find_first_of(":;|\"") == std::string_view::npos && tokens.size() > 2 &&
         has_entries_behind(tokens);
}

line_shape shape_of(std::string_view line) {
  std::vector<std::string_view> tokens = tokens_of(line.substr(0, line.find('#')));
  if (!tokens.empty() && !begins_with_labels(tokens)) return line_shape::others;
  if (!tokens.empty() && tokens.front().find(':') == std::string_view::npos) tokens.erase(tokens.begin());
  if (tokens.empty()) return line_shape::label;
  if (std::ranges::all_of(tokens, is_pair_token)) return line_shape::pairs;
  return std::ranges::all_of(tokens, is_triple_token) ? line_shape::triples : line_shape::others;
}

/// The first line of this form, if all lines from `from` on have it or only a label.
text_place all_of_shape(const std::vector<content_line>& lines, line_shape wanted, std::size_t from = 0) {
  text_place first;
  for (std::size_t k = from; k < lines.size(); ++k) {
    const line_shape shape = shape_of(lines[k].text);
    if (shape != wanted && shape != line_shape::label) return std::nullopt;
    if (shape != wanted || first) continue;
    const std::vector<std::string_view> tokens = tokens_of(lines[k].text);
    const auto entry = std::ranges::find_if(tokens, [](auto token) { return token.find(':') != token.npos; });
    first = seen_at(lines[k], *entry);
  }
  return first;
}

text_place see_libsvm_from_0(const file_head& head) {
  const std::vector<content_line> lines = content_lines(head);
  if (!all_of_shape(lines, line_shape::pairs)) return std::nullopt;
  for (const content_line& line : lines)
    for (const std::string_view token : tokens_of(line.text.substr(0, line.text.find('#'))))
      if (token.starts_with("0:")) return seen_at(line, token);
  return std::nullopt;
}

text_place see_libsvm_with_header(const file_head& head) {
  const std::vector<content_line> lines = content_lines(head);
  if (lines.size() < 2 || shape_of(lines.front().text) != line_shape::others) return std::nullopt;
  const std::vector<std::string_view> first = tokens_of(lines.front().text);
  if (std::ranges::any_of(first, is_number) || has_entries_behind(first)) return std::nullopt;
  if (!all_of_shape(lines, line_shape::pairs, 1)) return std::nullopt;
  return seen_at(lines.front(), lines.front().text);
}

text_place see_dimacs(const file_head& head) {
  for (const content_line& line : content_lines(head, '\0')) {
    const std::vector<std::string_view> tokens = tokens_of(line.text);
    if (tokens.front() == "c") continue;
    return tokens.front() == "p" && tokens.size() > 1 ? seen_at(line, line.text) : std::nullopt;
  }
  return std::nullopt;
}

text_place see_labelled_graph(const file_head& head) {
  const std::vector<content_line> lines = content_lines(head);
  if (lines.size() < 2) return std::nullopt;
  const std::vector<std::string_view> sizes = tokens_of(lines[0].text), second = tokens_of(lines[1].text);
  const bool is_one = sizes.size() == 3 && std::ranges::all_of(sizes, is_whole_token) && second.size() == 3 &&
                      (second.front() == "v" || second.front() == "e");
  return is_one ? seen_at(lines[1], lines[1].text) : std::nullopt;
}

/// Whether all lines have the same number of fields with this separator; with blanks they must be numbers, except in a
/// header.
bool is_table(const std::vector<content_line>& lines, separator by) {
  std::vector<text_field> fields;
  std::size_t count = 0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (cut_fields(lines[k].text, by, fields).what != nullptr) return false;
    if (k == 0) count = fields.size();
    if (fields.size() != count || std::ranges::all_of(fields, [](const auto& f) { return f.text.empty(); }))
      return false;
    const bool words = !std::ranges::all_of(fields, [](const auto& f) { return is_number(f.text); });
    if (by == separator::blanks && words && (k > 0 || lines.size() == 1)) return false;
  }
  // A single line of two fields may be anything.
  return count >= (lines.size() == 1 || by == separator::blanks ? 3u : 2u);
}

text_place see_table(const file_head& head) {
  const std::vector<content_line> lines = content_lines(head);
  if (lines.empty()) return std::nullopt;
  for (const content_line& line : lines) {
    const std::vector<std::string_view> tokens = tokens_of(line.text);
    if (!begins_with_labels(tokens)) continue;  // behind fields "10:00" is a time
    for (const std::string_view token : tokens)
      if (is_pair_token(token) || is_triple_token(token)) return std::nullopt;
  }
  for (const separator by : {separator::tab, separator::double_colon, separator::semicolon, separator::comma,
                             separator::bar, separator::blanks})
    if (is_table(lines, by)) return seen_at(lines.front(), lines.front().text);
  return std::nullopt;
}

constexpr kind_row text_kinds[] = {
    {file_kind::text_model, "a saved model", "it goes where a model is asked for, not data", "",
     [](const file_head& h) { return text_begins_with(h, "hogwild model "); }},
    {file_kind::lfs_pointer, "a pointer of Git LFS in the place of the file",
     "fetch the file itself, by 'git lfs pull'", "",
     [](const file_head& h) { return text_begins_with(h, "version https://git-lfs"); }},
    {file_kind::matrix_market, "a Matrix Market file", "read it as the format mtx, with its labels in a file beside it",
     "mtx", see_matrix_market},
    {file_kind::markup, "a page of HTML or XML", "fetch the file again: its address may have led to a page", "",
     see_markup},
    {file_kind::json, "JSON", "write each row as 'label index:value ...', or read it in Python for hogwild.Dataset", "",
     see_json},
    {file_kind::labelled_text, "labelled text as fastText reads it",
     "read it as the format labelled_text, by a model of rows", "labelled_text",
     [](const file_head& h) { return text_begins_with(h, "__label__"); }},
    {file_kind::vowpal_wabbit, "text of Vowpal Wabbit", "read it as the format vw, by a model of rows", "vw",
     see_vowpal_wabbit},
    {file_kind::dimacs, "a graph in DIMACS text", "read it as the format dimacs, by graph_cut", "dimacs", see_dimacs},
    {file_kind::labelled_graph, "a labelled graph", "read it as the format graph, by graph_cut", "graph",
     see_labelled_graph},
    {file_kind::libsvm_from_0, "LIBSVM text whose columns count from 0", columns_from_0, "libsvm", see_libsvm_from_0},
    {file_kind::libsvm, "LIBSVM text", "read it as the format libsvm", "libsvm",
     [](const file_head& h) { return all_of_shape(content_lines(h), line_shape::pairs); }},
    {file_kind::libsvm_with_header, "LIBSVM text behind a header", "delete the first line", "", see_libsvm_with_header},
    {file_kind::libffm, "libffm text, 'label field:index:value ...'", "read it as the format ffm", "ffm",
     [](const file_head& h) { return all_of_shape(content_lines(h), line_shape::triples); }},
    {file_kind::table, "a table, with no 'index:value' in it",
     "'hogwild train' reads it if --label names the column of the label, and the model saved then reads others of its "
     "kind; ratings are the format ratings",
     "", see_table},
};

}  // namespace

bool begins_as_json(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t second = text.find_first_not_of(blanks, first + 1);
  if (first == text.size() || second == text.npos) return false;
  return text[first] == '{' ? text[second] == '"'
                            : text[first] == '[' && std::string_view("{[\"").find(text[second]) != text.npos;
}

std::span<const kind_row> kinds_of_text() {
  return text_kinds;
}

}  // namespace hogwild::detail
