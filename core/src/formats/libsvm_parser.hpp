// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/platform/isa.hpp>

#include "data/row_block.hpp"
#include "data/row_format.hpp"

namespace hogwild::detail {

class word_labels;

/// Room for the entries of a block of text: an entry takes four characters, or three if it is a first one without a
/// label; vectors also write a few entries after the last.
constexpr std::size_t libsvm_capacity(std::size_t text_bytes) {
  return text_bytes / 4 + 2 + entries_margin;
}

/// Parses whole lines: `text` ends with a newline, is at most 1 GiB long and is followed by `text_padding` readable
/// bytes. `block.index` and `block.value` hold libsvm_capacity(text.size()) entries. Faults in the text do not throw:
/// the first one is stored in the block, which then holds the rows before it. The result is the same for all
/// instruction sets; `automatic` takes the fastest, and an unavailable one falls back to the next below. `from_0`: an
/// index may be 0, and block.index holds the indices as they are, not less 1. `words`: labels are words that have these
/// numbers; null: they are numbers.
void parse_libsvm_block(std::string_view text, bool labels_optional, row_block& block, isa set = isa::automatic,
                        bool from_0 = false, word_labels* words = nullptr);

/// The format "label index:value ...".
const row_format& libsvm_row_format(bool from_0 = false);

}  // namespace hogwild::detail
