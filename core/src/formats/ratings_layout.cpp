// SPDX-License-Identifier: Apache-2.0
#include "ratings_parser.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "text/known_kinds.hpp"

namespace hogwild::detail {
namespace {

constexpr std::size_t no_field = ratings_layout::none;

struct rating_line {
  std::string_view text;
  std::size_t number;  ///< from 1
};

/// The first lines that may be ratings, or a header.
std::vector<rating_line> rating_lines_of(std::string_view text, bool named) {
  const file_head head(text, false);
  std::vector<rating_line> found;
  for (std::size_t k = 0; k < head.lines.size(); ++k) {
    std::string_view line = head.lines[k];
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || line[begin] == '#') continue;
    if (!named) line = line.substr(0, line.find('#'));
    found.push_back({line, k + 1});
  }
  return found;
}

std::vector<text_field> cut_rating(std::string_view line, separator by) {
  std::vector<text_field> fields;
  if (cut_fields(line, by, fields).what != nullptr) fields.clear();
  return fields;
}

/// The number of lines with the most frequent number of fields, if that is at least `enough`.
std::size_t lines_parted(const std::vector<rating_line>& lines, separator by, std::size_t enough) {
  std::map<std::size_t, std::size_t> lines_with;
  std::vector<text_field> fields;
  for (const rating_line& line : lines) {
    // An invalid field, for which the line is refused later, counts as well.
    const bool wrong = cut_fields(line.text, by, fields).what != nullptr;
    if (const std::size_t count = fields.size() + (wrong ? 1 : 0); count >= enough) ++lines_with[count];
  }
  std::size_t most = 0;
  for (const auto& [parts, count] : lines_with) most = std::max(most, count);
  return most;
}

/// The number of lines whose third field is a number, as is the fourth, if there is one. Separators may also occur
/// within names; only by the right one is the rating a number, and the time behind it.
std::size_t lines_read(const std::vector<rating_line>& lines, separator by) {
  return static_cast<std::size_t>(std::ranges::count_if(lines, [by](const rating_line& line) {
    const std::vector<text_field> fields = cut_rating(line.text, by);
    const auto has_number = [&](std::size_t f) { return is_number(without_comment(fields[f])); };
    return fields.size() >= 3 && has_number(2) && (fields.size() == 3 || has_number(3));
  }));
}

separator separator_of_ratings(const std::vector<rating_line>& lines, bool labels_optional) {
  if (std::ranges::any_of(lines, [](const rating_line& l) { return l.text.find('\t') != l.text.npos; }))
    return separator::tab;
  // If lines have too few fields, takes any separator that splits them, so that the message says what is missing.
  for (std::size_t enough = labels_optional ? 2 : 3; enough >= 2; --enough) {
    separator best = separator::blanks;
    std::pair<std::size_t, std::size_t> most{};
    for (const separator by :
         {separator::double_colon, separator::semicolon, separator::comma, separator::blanks, separator::bar}) {
      const std::pair here{lines_read(lines, by), lines_parted(lines, by, enough)};
      if (here > most) most = here, best = by;
    }
    if (most.second > 0) return best;
  }
  return separator::blanks;
}

/// Letters and digits of a header's word, in lower case: "User-ID" is "userid".
std::string plain_word(const text_field& field) {
  std::string word;
  for (const char c : content_of(field)) {
    if (c >= 'A' && c <= 'Z')
      word += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80)
      word += c;
  }
  return word;
}

/// The words of a header that name one of the three roles. A whole word takes precedence over a part of one.
struct role_words {
  const char* what;
  std::vector<std::string_view> whole, part;
};
const role_words& words_of_times() {
  static const role_words words{"time", {"ts", "t"}, {"time", "date"}};
  return words;
}
const std::array<role_words, 3>& words_of_roles() {
  static const std::array<role_words, 3> words{{
      {"user",
       {"user", "userid", "uid", "u", "reviewerid", "customer", "customerid", "member", "memberid", "reader",
        "readerid"},
       {"user", "reviewer", "customer"}},
      {"item",
       {"item",  "itemid",   "iid",        "i",    "movie",  "movieid", "film",    "filmid",  "book",   "bookid",
        "isbn",  "product",  "productid",  "asin", "song",   "songid",  "track",   "trackid", "artist", "artistid",
        "title", "business", "businessid", "joke", "jokeid", "anime",   "animeid", "game",    "gameid", "recipeid"},
       {"item", "movie", "film", "isbn", "product", "song", "track", "artist"}},
      {"rating",
       {"rating", "ratings", "score", "stars", "star", "overall", "value", "label", "r", "bookrating", "userrating",
        "starrating", "preference"},
       {"rating", "score", "stars"}},
  }};
  return words;
}

/// How well a word fits a role: 2 as a whole, 1 in part, 0 not at all.
int suits(const std::string& word, const role_words& role) {
  if (std::ranges::find(role.whole, word) != role.whole.end()) return 2;
  return std::ranges::any_of(role.part, [&](std::string_view part) { return word.find(part) != word.npos; }) ? 1 : 0;
}

class header_reading {
 public:
  header_reading(const std::vector<text_field>& fields, std::size_t line, const std::string& source)
      : fields_(fields), line_(line), source_(source) {
    for (const text_field& field : fields) words_.push_back(plain_word(field));
  }

  /// Whether the words alone show that this is a header.
  bool tells_by_words() const {
    const auto names = [&](const role_words& role) {
      return std::ranges::any_of(words_, [&](const std::string& word) { return suits(word, role) == 2; });
    };
    return names(words_of_roles()[0]) && names(words_of_roles()[1]);
  }

  void tell(ratings_layout& layout, const ratings_reading& how) {
    // The rating first: "user_rating" also contains the word for another role.
    for (const std::size_t role : {2u, 0u, 1u}) found_[role] = best(words_of_roles()[role]);
    const bool unknown = std::ranges::all_of(found_, [](std::size_t f) { return f == no_field; });
    for (std::size_t role = 0; unknown && role < 3; ++role) found_[role] = role < fields_.size() ? role : no_field;
    if (!unknown) fill_gap();
    for (std::size_t role = 0; role < 3; ++role)
      if (found_[role] == no_field && (role < 2 || !how.labels_optional))
        refuse("the header does not say which field is the " + std::string(words_of_roles()[role].what));
    layout.user = found_[0], layout.item = found_[1], layout.rating = found_[2];
    if (how.times) layout.time = best(words_of_times());
    layout.note = "line " + std::to_string(line_) + " is a header, by which ";
    for (std::size_t role = 0; role < 3; ++role)
      if (found_[role] != no_field)
        layout.note += (role == 0 ? "the " : ", the ") +
                       std::string(role == 2 ? layout.number_name() : words_of_roles()[role].what) + " is " +
                       quote(content_of(fields_[found_[role]]));
    if (layout.time != no_field) layout.note += ", the time is " + quote(content_of(fields_[layout.time]));
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw format_error(source_, line_, 1, why + "; name the fields user, item and rating");
  }

  /// The field whose word fits best; no_field if none does.
  std::size_t best(const role_words& role) const {
    std::size_t found = no_field;
    int how = 0;
    bool twice = false;
    for (std::size_t f = 0; f < words_.size(); ++f) {
      if (std::ranges::find(found_, f) != found_.end()) continue;
      const int here = suits(words_[f], role);
      if (here == 0 || here < how || (&role != &words_of_times() && suits(words_[f], words_of_times()) >= here))
        continue;
      twice = here == how;
      if (!twice) how = here, found = f;
    }
    if (twice) refuse("the header has two words for the " + std::string(role.what));
    return found;
  }

  /// A single role without a word gets the one field that is left, other than times.
  void fill_gap() {
    std::vector<std::size_t> left;
    for (std::size_t f = 0; f < words_.size(); ++f)
      if (std::ranges::find(found_, f) == found_.end() && suits(words_[f], words_of_times()) == 0) left.push_back(f);
    if (left.size() == 1 && std::ranges::count(found_, no_field) == 1)
      *std::ranges::find(found_, no_field) = left.front();
  }

  const std::vector<text_field>& fields_;
  std::size_t line_;
  const std::string& source_;
  std::vector<std::string> words_{};
  std::array<std::size_t, 3> found_{no_field, no_field, no_field};  ///< fields of user, item and rating
};

/// Whether the first line has no number in all fields in which most lines below have one, and there are such fields.
bool lacks_numbers(const std::vector<text_field>& first, const std::vector<rating_line>& lines, separator by) {
  std::vector<std::size_t> numbers(first.size()), filled(first.size());
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const std::vector<text_field> fields = cut_rating(lines[k].text, by);
    for (std::size_t f = 0; f < std::min(fields.size(), first.size()); ++f) {
      if (fields[f].text.empty()) continue;
      ++filled[f];
      numbers[f] += is_number(without_comment(fields[f]));
    }
  }
  bool any = false;
  for (std::size_t f = 0; f < first.size(); ++f) {
    if (2 * numbers[f] <= filled[f]) continue;
    if (is_number(without_comment(first[f])) || first[f].text.empty()) return false;
    any = true;
  }
  return any;
}

/// As in sep=; or "sep=;".
bool names_separator(std::string_view line) {
  constexpr std::string_view word = "sep=";
  line.remove_prefix(std::min(line.find_first_not_of(" \t\""), line.size()));
  return std::ranges::equal(line.substr(0, word.size()), word,
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

ratings_layout look_at_ratings(std::string_view text, const ratings_reading& how, const std::string& source) {
  ratings_layout layout;
  const std::vector<rating_line> lines = rating_lines_of(text, how.named);
  layout.weights = how.weights;
  if (lines.empty()) return layout;
  if (names_separator(lines.front().text))
    throw format_error(source, lines.front().number, 1,
                       "a spreadsheet has written its separator here, " + quote(lines.front().text) +
                           ", which is no rating: delete the line");
  layout.by = separator_of_ratings(lines, how.labels_optional);
  layout.first_line = lines.front().number;
  const std::vector<text_field> first = cut_rating(lines.front().text, layout.by);
  if (first.empty()) return layout;  // the parser refuses it
  layout.fields = first.size();
  if (how.times && layout.fields > 3) layout.time = 3;
  header_reading header(first, lines.front().number, source);
  // A header may have an empty word, above numbers of the rows.
  const bool any_number = std::ranges::any_of(first, [](const text_field& f) { return is_number(without_comment(f)); });
  const bool above_rows = lines.size() > 1 && !any_number;
  const bool by_words = header.tells_by_words() && ((how.named && how.labels_optional) || above_rows);
  if (!by_words && !lacks_numbers(first, lines, layout.by)) return layout;
  layout.header_line = lines.front().number;
  header.tell(layout, how);
  return layout;
}

}  // namespace hogwild::detail
