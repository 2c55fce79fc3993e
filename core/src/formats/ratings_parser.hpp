// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "data/row_format.hpp"
#include "libsvm_parser.hpp"
#include "name_numbers.hpp"
#include "ratings_layout.hpp"

namespace hogwild::detail {

/// Room for the entries of a block of text: two for each line of at least four characters ("1 2", a newline), and two
/// for an unfinished one at its end.
constexpr std::size_t ratings_capacity(std::size_t text_bytes) {
  return text_bytes / 2 + 2;
}

/// The numbers of users' and items' names.
struct rating_numbers {
  name_numbers users, items;
};

/// Parses whole lines of ratings (formats/ratings.hpp) as parse_libsvm_block parses LIBSVM text; `rows` holds
/// ratings_capacity(text.size()) entries. With `names`, users and items are names, which get numbers there. `layout` is
/// that of the whole text, and outlives the call.
void parse_ratings_block(std::string_view text, const block_context& context, const ratings_layout& layout,
                         row_block& rows, rating_numbers* names = nullptr);

}  // namespace hogwild::detail
