// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/text_fields.hpp"

namespace hogwild::detail {

/// The positions of fields in a text of ratings: the same in all of its lines.
struct ratings_layout {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  separator by = separator::blanks;
  std::size_t user = 0, item = 1, rating = 2;  ///< the index of each field, from 0; the rating may be absent
  std::size_t fields = 3;                      ///< in a line
  std::size_t first_line = 0;                  ///< the line that determines `fields`, from 1
  std::size_t header_line = 0;                 ///< from 1; 0: none
  std::string note{};                          ///< describes the header to the user; empty if there is none
};

/// Options for reading ratings.
struct ratings_reading {
  bool named = false;            ///< users and items are names, not numbers
  bool labels_optional = false;  ///< a line may end after the item
};

/// Looks at the first lines of a text.
///
/// The separator is a tab if a line has one, otherwise the one that splits most lines into the same number of fields,
/// at least three. The first line is a header if none of its fields is a number where the lines below have numbers. Its
/// words say which field is which; if they say nothing the order is user, item, rating. Throws format_error, with
/// `source` as the file, if a header does not identify the three.
ratings_layout look_at_ratings(std::string_view text, const ratings_reading& how, const std::string& source);

}  // namespace hogwild::detail
