// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "results/saved_model_formats.hpp"

namespace hogwild::detail {

/// Reads words of the text, line by line, with the place of each for messages.
class word_reader {
 public:
  word_reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw format_error(name_, line_, word_at_ - line_at_ + 1, why);
  }

  /// The next word of this line; empty at its end.
  std::string_view word() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    word_at_ = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && !at_line_end()) ++at_;
    return text_.substr(word_at_, at_ - word_at_);
  }
  /// A quoted name, without its marks.
  std::string quoted_name() {
    word();  // goes to its beginning
    at_ = word_at_;
    std::string name;
    if (at_ == text_.size() || text_[at_] != '"') fail("the name of the column should stand here, in quotation marks");
    for (++at_; at_ < text_.size() && !at_line_end() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_];
    }
    if (at_ == text_.size() || text_[at_] != '"') fail("a quotation mark should end the name of the column");
    ++at_;
    if (at_ < text_.size() && text_[at_] != ' ' && !at_line_end())
      fail("a blank should stand behind the column's name");
    if (!is_column_name(name)) fail("the name of the column is empty, too long or holds control characters");
    return name;
  }
  /// The rest of the line; goes to the next one.
  std::string_view line() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !at_line_end()) ++at_;
    const std::string_view whole = text_.substr(begin, at_ - begin);
    end_line();
    return whole;
  }
  void expect(std::string_view wanted) {
    if (word() != wanted) fail(std::string("\"").append(wanted).append("\" should stand here"));
  }
  bool more_words() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() && !at_line_end();
  }
  void end_line() {
    if (more_words()) {
      word();
      fail("the line should end here");
    }
    word_at_ = at_;
    if (at_ == text_.size()) fail("the file ends here, before its last line \"end\"");
    at_ += text_[at_] == '\r' ? 2u : 1u;
    line_at_ = word_at_ = at_;
    ++line_;
  }
  bool at_end() const { return at_ == text_.size(); }
  /// Whether the line begins with this word.
  bool line_is(std::string_view wanted) const {
    const std::string_view rest = text_.substr(at_);
    return rest.starts_with(wanted) && rest.substr(wanted.size(), 1) == " ";
  }

  /// Whether the rest of the line is this word.
  bool line_ends_with(std::string_view wanted) {
    if (!more_words()) return false;
    const std::string_view rest = text_.substr(at_, text_.find('\n', at_) - at_);
    return rest == wanted || (rest.ends_with('\r') && rest.substr(0, rest.size() - 1) == wanted);
  }

  template <class T>
  T number(const char* what) {
    const std::string_view text = word();
    T value{};
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || stop != text.data() + text.size() || text.empty()) {
      fail(std::string(what) + " should stand here, but this is " + quote(text));
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) fail(std::string(what) + " is not finite");
    }
    return value;
  }

 private:
  bool at_line_end() const { return text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_ + 1, 1) == "\n"); }
  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0, word_at_ = 0, line_at_ = 0, line_ = 1;
};

}  // namespace hogwild::detail
