// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/ratings.hpp>

#include "data/parsed_text.hpp"
#include "data/row_format.hpp"
#include "libsvm_parser.hpp"
#include "name_numbers.hpp"
#include "text/text_fields.hpp"

namespace hogwild::detail {

/// The positions of fields in a text of ratings: the same in all of its lines.
struct ratings_layout {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  separator by = separator::blanks;
  std::size_t user = 0, item = 1, rating = 2;  ///< the index of each field, from 0; the rating may be absent
  std::size_t time = none;                     ///< of pairs alone
  std::size_t fields = 3;                      ///< in a line
  std::size_t first_line = 0;                  ///< the line that determines `fields`, from 1
  std::size_t header_line = 0;                 ///< from 1; 0: none
  std::string note{};                          ///< describes the header to the user; empty if there is none
  bool weights = false;                        ///< the third field is the weight of a pair: above 0, and 1 if absent
  bool lists = false;                          ///< of pairs: a line is a user and any number of items

  std::string_view number_name() const { return weights ? "weight" : "rating"; }
};

/// Options for reading ratings.
struct ratings_reading {
  bool named = false;            ///< users and items are names, not numbers
  bool labels_optional = false;  ///< a line may end after the item
  bool times = false;            ///< a fourth field is a time
  bool weights = false;          ///< the third field is a weight
};

/// Looks at the first lines of a text.
///
/// The separator is a tab if a line has one, otherwise the one that splits most lines into the same number of fields,
/// at least three. The first line is a header if none of its fields is a number where the lines below have numbers. Its
/// words say which field is which; if they say nothing the order is user, item, rating. Throws format_error, with
/// `source` as the file, if a header does not identify the three.
ratings_layout look_at_ratings(std::string_view text, const ratings_reading& how, const std::string& source);

/// Room for the entries of a block of text: two for each line of at least four characters ("1 2", a newline), and two
/// for an unfinished one at its end. In lists an item may take two characters.
constexpr std::size_t ratings_capacity(std::size_t text_bytes) {
  return text_bytes / 2 + 2;
}
constexpr std::size_t lists_capacity(std::size_t text_bytes) {
  return text_bytes + 2;
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

/// For parse_by_names().
inline std::string most_rating_names() {
  return "ratings may have at most " + std::to_string(largest_rating_id) + " users, and as many items";
}

/// Parses a text whose columns have names, as `parse` does with the numbers that it is given: odd columns are numbered
/// by `users`, even ones by `items`. Gives new names their ids, appends them to `users` and `items`, and the columns
/// those of the ids. `what` ("ratings may have at most") begins the message for too many names.
std::unique_ptr<parsed_text> parse_by_names(
    std::vector<std::string>& users, std::vector<std::string>& items, const std::string& what,
    const std::function<std::unique_ptr<parsed_text>(rating_numbers& numbers)>& parse);

}  // namespace hogwild::detail
