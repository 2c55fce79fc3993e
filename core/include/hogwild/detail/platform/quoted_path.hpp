// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/platform/printable.hpp>

namespace hogwild::detail {

/// A path for a message, in quotation marks: whole, unlike a token that quote() cuts, so that it can be opened.
inline std::string quoted_path(std::string_view path) {
  return "'" + printable(path) + "'";
}

}  // namespace hogwild::detail
