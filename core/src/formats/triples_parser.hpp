// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "data/row_format.hpp"
#include "ratings_parser.hpp"
#include "text/text_fields.hpp"

namespace hogwild::detail {

/// What the whole text tells about the lines of triples.
struct triples_layout {
  bool tabs = false;            ///< fields are separated by tabs, not by blanks
  bool looks_right = false;     ///< by three fields between tabs in the first line: names may look like other kinds
  std::size_t header_line = 0;  ///< from 1; 0: none
};

triples_layout look_at_triples(std::string_view text);

/// The fields of a line, byte for byte.
std::vector<text_field> cut_triple(std::string_view line, bool tabs);

/// Room for the entries of a block of text: three for each line of at least six characters ("a b c", a newline), and
/// three for an unfinished one at its end.
constexpr std::size_t triples_capacity(std::size_t text_bytes) {
  return text_bytes / 2 + 3;
}

/// Parses whole lines of triples (formats/triples.hpp) as parse_ratings_block does ratings; `rows` holds
/// triples_capacity(text.size()) entries. Entities get numbers in names.users, relations in names.items.
void parse_triples_block(std::string_view text, const block_context& context, const triples_layout& layout,
                         row_block& rows, rating_numbers& names);

}  // namespace hogwild::detail
