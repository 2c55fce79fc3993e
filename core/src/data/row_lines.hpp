// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace hogwild::detail {

/// Reads a text that has a line for each of `rows` rows, plain or compressed as data are, or standard input ("-").
/// take(line) gets each, without the blanks around it, and returns the reason why it is refused, or an empty text.
/// Throws format_error for that reason, a blank line and surplus lines, and input_error for too few.
void read_row_lines(const std::string& path, std::size_t rows,
                    const std::function<std::string(std::string_view line)>& take);

}  // namespace hogwild::detail
