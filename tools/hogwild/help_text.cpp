// SPDX-License-Identifier: Apache-2.0
#include "help_text.hpp"

#include <algorithm>
#include <cstddef>

namespace hogwild::cli {
namespace {

constexpr std::size_t width = 100, column = 30;

/// Appends `text`, broken between words, to a text whose last line is `used` characters long; further lines begin at
/// `indent`.
void append_wrapped(std::string& to, std::size_t used, const std::string& text, std::size_t indent) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    if (used > indent && used + 1 + (end - at) > width) {
      to.append("\n").append(indent, ' ');
      used = indent;
    }
    if (used > indent) {
      to += ' ';
      ++used;
    }
    to.append(text, at, end - at);
    used += end - at;
    at = end + 1;
  }
}

/// Whether the placeholder lists all values: it has words, and nothing that stands for a number or a name.
bool are_words(const std::string& placeholder) {
  const auto is_of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '|';
  };
  return placeholder.find('|') != std::string::npos && std::ranges::all_of(placeholder, is_of_word);
}

std::string with_commas(std::string words) {
  for (std::size_t at = 0; (at = words.find('|', at)) != std::string::npos; at += 2) words.replace(at, 1, ", ");
  return words;
}

void append(std::string& to, const help_entry& e) {
  std::string left = "  " + e.name, sentence = e.help;
  const bool words_apart = are_words(e.placeholder) && left.size() + 1 + e.placeholder.size() > column - 2;
  if (words_apart) sentence += ": " + with_commas(e.placeholder);
  if (!e.placeholder.empty()) left += " " + (words_apart ? "WORD" : e.placeholder);
  if (!e.otherwise.empty() && e.help.find("default") == std::string::npos)
    sentence += " (default: " + e.otherwise + ")";
  to += left;
  std::size_t used = left.size();
  if (used > column - 2) {
    to += '\n';
    used = 0;
  }
  to.append(column - used, ' ');
  append_wrapped(to, column, sentence, column);
  to += '\n';
}

}  // namespace

std::string text_of(const help_page& page) {
  std::string text;
  append_wrapped(text, 0, page.purpose, 0);
  text += "\n\nUsage: " + page.usage + "\n";
  for (const help_group& g : page.groups) {
    if (g.entries.empty()) continue;
    text += "\n" + g.heading + ":\n";
    for (const help_entry& e : g.entries) append(text, e);
  }
  if (!page.more.empty()) {
    text += '\n';
    append_wrapped(text, 0, page.more, 0);
    text += '\n';
  }
  if (!page.example.empty()) text += "\nExample:\n  " + page.example + "\n";
  return text;
}

}  // namespace hogwild::cli
