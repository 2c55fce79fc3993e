// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/printable.hpp>

#include <algorithm>

namespace hogwild {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Characters that a terminal or an editor acts on: C0, DEL and C1 controls, line separators, marks that change the
/// direction.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/// The number of bytes of the first character of `text`; 0 if it is not UTF-8 or must not be shown.
std::size_t shown_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  char32_t c = length == 1 ? first : first & (0x7fu >> length);
  for (const char next : text.substr(1, length - 1)) {
    if (!continues(next)) return 0;
    c = c << 6 | (static_cast<unsigned char>(next) & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool encodes = c >= least[length] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
  return encodes && !is_control(c) ? length : 0;
}

void append_escaped(std::string& to, char c) {
  constexpr char digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  switch (c) {
    case '\n':
      to += "\\n";
      break;
    case '\r':
      to += "\\r";
      break;
    case '\t':
      to += "\\t";
      break;
    default:
      to.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
}

/// Bytes of the next character, shown or escaped.
std::size_t step_of(std::string_view text) {
  return std::max<std::size_t>(shown_length(text), 1);
}

std::string escaped(std::string_view text) {
  std::string shown;
  for (; !text.empty(); text.remove_prefix(step_of(text))) {
    if (const std::size_t length = shown_length(text); length > 0)
      shown += text.substr(0, length);
    else
      append_escaped(shown, text.front());
  }
  return shown;
}

/// The longest beginning that takes at most this many bytes when escaped.
std::string_view beginning(std::string_view text, std::size_t room) {
  std::size_t at = 0;
  for (std::size_t used = 0; at < text.size(); at += step_of(text.substr(at))) {
    used += escaped(text.substr(at, step_of(text.substr(at)))).size();
    if (used > room) break;
  }
  return text.substr(0, at);
}

/// The longest end that takes at most this many bytes when escaped.
std::string_view end_of(std::string_view text, std::size_t room) {
  std::string_view end = text.substr(text.size() - std::min(text.size(), room));
  for (int k = 0; k < 3 && !end.empty() && continues(end.front()); ++k) end.remove_prefix(1);
  for (std::size_t used = escaped(end).size(); used > room; end.remove_prefix(step_of(end)))
    used -= escaped(end.substr(0, step_of(end))).size();
  return end;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  if (text.size() <= most)
    if (std::string whole = escaped(text); whole.size() <= most) return whole;
  constexpr std::size_t between = 64;  // room for the text in the middle
  const std::size_t room = (std::max(most, between) - between) / 2;
  const std::string_view head = beginning(text, room), tail = end_of(text, room);
  return escaped(head) + " ... (" + std::to_string(text.size() - head.size() - tail.size()) + " bytes left out) ... " +
         escaped(tail);
}

std::string quote(std::string_view token) {
  if (token.size() <= longest_token) return "'" + escaped(token) + "'";
  // The length of the quoted text, not of its escaped form.
  std::size_t shown = longest_token;
  for (int k = 0; k < 3 && continues(token[shown]); ++k) --shown;
  return "'" + escaped(token.substr(0, shown)) + "...' (" + std::to_string(token.size()) + " bytes)";
}

std::string quote(const char* first, const char* last) {
  return quote(std::string_view(first, static_cast<std::size_t>(last - first)));
}

}  // namespace hogwild
