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

/// Text that came from outside, for a terminal or a log: one line, valid UTF-8, and nothing that a terminal would act
/// on. Control characters and bytes that are not UTF-8 are written as \n, \r, \t or \xHH; what is longer than `most`
/// bytes then (at least 64) loses its middle, whose length is told instead. A text that is so already stays as it is.
std::string printable(std::string_view text, std::size_t most = longest_message);

/// The same for one token of a message: in quotation marks, with its length where only its beginning is shown.
std::string quote(std::string_view token);
std::string quote(const char* first, const char* last);

}  // namespace hogwild
