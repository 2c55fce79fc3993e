// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/formats/file_kind.hpp>

#include "known_kinds.hpp"

namespace hogwild::detail {

/// Programs that write UTF-8 may put this in front of a text.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

inline std::string_view without_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

/// Throws input_error where a file that should be text begins as a binary one that is known. `name` is for the message.
void require_text(std::string_view head, const std::string& name);

/// Throws where the first lines of a text are of another kind than the format of this name ("libsvm") reads:
/// format_error with the place that tells it.
void require_kind(std::string_view text, std::string_view format, const std::string& name);

/// Throws input_error where the bytes, of which the first are looked at, are known to be something else than `wanted`,
/// which `expected` says in words. `remedy` stands in the place of the kind's own where it is not empty.
void require_bytes(std::string_view bytes, file_kind wanted, std::string_view expected, const std::string& name,
                   std::string_view remedy = {});

}  // namespace hogwild::detail
