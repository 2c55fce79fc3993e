// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/formats/file_kind.hpp>

#include "text/known_kinds.hpp"

namespace hogwild::detail {

/// Programs that write UTF-8 may begin a text with this.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

inline std::string_view without_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

/// Throws input_error if a file that should be text begins like a known binary one. `name` is used in messages.
void require_text(std::string_view head, const std::string& name);

/// Throws input_error if the first bytes of a text are of a kind that has no words to learn: rows of numbers, a matrix,
/// JSON, a saved model, a pointer in the place of a file. Tables, markup and labelled text may well be a corpus.
void require_words(std::string_view head, const std::string& name);

/// Throws if the first lines of a text are of another kind than the format of this name ("libsvm") reads: format_error
/// with the place that shows it.
void require_kind(std::string_view text, std::string_view format, const std::string& name);

/// Throws input_error if the bytes, of which the first are looked at, are known to be something other than `wanted`,
/// which `expected` describes. `remedy` replaces the kind's own unless it is empty.
void require_bytes(std::string_view bytes, file_kind wanted, std::string_view expected, const std::string& name,
                   std::string_view remedy = {});

/// The same for a file that is read as it is stored: it must not be compressed.
void require_stored(std::string_view bytes, file_kind wanted, std::string_view expected, const std::string& name,
                    std::string_view remedy);

}  // namespace hogwild::detail
