// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text_fields.hpp"

namespace hogwild::detail {

/// Where the fields of a text of ratings stand: the same on all of its lines.
struct ratings_layout {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  separator by = separator::blanks;
  std::size_t user = 0, item = 1, rating = 2;  ///< which field each is, from 0; the rating may be none
  std::size_t fields = 3;                      ///< of a line
  std::size_t first_line = 0;                  ///< that tells how many these are, from 1
  std::size_t header_line = 0;                 ///< from 1; 0: there is none
  std::string note{};                          ///< what the header says, for the user; empty where there is none
};

/// How ratings are read.
struct ratings_reading {
  bool named = false;            ///< users and items are names, not numbers
  bool labels_optional = false;  ///< a line may end behind the item
};

/// Looks at the first lines of a text.
///
/// The separator is a tab where a line has one, else what parts most lines into as many fields, at least three. A
/// header is a first line that has a number in none of the fields where the lines below it have them. Its words say
/// which field is what; where they say nothing the order is user, item, rating. Throws format_error, with `source` as
/// the file, where a header does not tell the three.
ratings_layout look_at_ratings(std::string_view text, const ratings_reading& how, const std::string& source);

}  // namespace hogwild::detail
