// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hogwild {

/// The longest message, in bytes.
inline constexpr std::size_t longest_message = 2000;
/// The longest token that is quoted whole.
inline constexpr std::size_t longest_token = 40;

/// Makes text that came from outside fit for a terminal or a log: one line, valid UTF-8, and nothing that a terminal
/// would act on. Control characters and bytes that are not UTF-8 become \n, \r, \t or \xHH. If the result is longer
/// than `most` bytes (at least 64), its middle is replaced by the length of the omission. A text that is already so
/// stays as it is.
std::string printable(std::string_view text, std::size_t most = longest_message);

/// The same for one token of a message: in quotation marks, with its length if only its beginning is shown.
std::string quote(std::string_view token);
std::string quote(const char* first, const char* last);

namespace detail {

/// A path for a message, in quotation marks: whole, unlike a token that quote() cuts, so that it can be opened.
inline std::string quoted_path(std::string_view path) {
  return "'" + printable(path) + "'";
}

}  // namespace detail

}  // namespace hogwild
