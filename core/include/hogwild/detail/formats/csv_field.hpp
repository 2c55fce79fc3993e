// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hogwild {

/// Appends a field of a table (RFC 4180): in quotation marks where it would not be read back without, as where it has a
/// separator, a quotation mark, a line end, or a blank at either end.
void append_csv_field(std::string& text, std::string_view field, char separator = ',');

}  // namespace hogwild
