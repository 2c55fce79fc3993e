// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "data/row_format.hpp"
#include "libsvm_parser.hpp"

namespace hogwild::detail {

/// Room for the entries of a block of text: an entry takes six characters, or five if it is a first one without a
/// label.
constexpr std::size_t libffm_capacity(std::size_t text_bytes) {
  return text_bytes / 6 + 2;
}

/// Parses whole lines of libffm text (formats/libffm.hpp) as parse_libsvm_block parses LIBSVM text; `rows` holds
/// libffm_capacity(text.size()) entries.
void parse_libffm_block(std::string_view text, const block_context& context, row_block& rows,
                        word_labels* words = nullptr);

}  // namespace hogwild::detail
