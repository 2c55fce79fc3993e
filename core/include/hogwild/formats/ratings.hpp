// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>

namespace hogwild {

// Ratings text: one a line, "user item rating", behind which more fields (a time) are ignored.
//
// Fields are separated by tabs where a line has one, else by commas, semicolons, bars, "::" or blanks, the same in all
// of the text, and each line has as many. None of the three may be empty. A field may stand in quotation marks, in
// which
// "" is one of them. Users and items are whole numbers from 0 to largest_rating_id, or names of at most 255 bytes,
// which may hold blanks; a rating is a finite number. Blank lines are skipped. '#' begins a comment, but within names:
// of these a line that begins with it and reads as a rating is refused. The first line is a header where it has a
// number in none of the fields where the lines below it have them: its words say which field is what, in any order, and
// a note tells.
//
// As a row of data a rating is two entries of value 1, its user and its item, and the rating is its label. Users have
// the odd numbers of columns in the input, items the even ones; among the positions all users come before all items,
// each by falling number of ratings.

inline constexpr std::uint32_t largest_rating_id = 2147483646;

/// The number of a user's, or an item's, column in the input; `id` is at most largest_rating_id.
constexpr std::uint32_t user_column(std::uint32_t id) {
  return 2 * id + 1;
}
constexpr std::uint32_t item_column(std::uint32_t id) {
  return 2 * id + 2;
}
constexpr bool is_user_column(std::uint32_t column) {
  return column % 2 == 1;
}
/// Whose column it is.
constexpr std::uint32_t rating_id(std::uint32_t column) {
  return (column - 1) / 2;
}

/// How many users there are among columns in the order of their positions.
std::size_t count_users(std::span<const std::uint32_t> original);

/// Opens ratings, plain or compressed, as open_libsvm opens its text; sparse_view::original says whose each column is.
/// With labels_optional a line may end behind the item. Throws what open_libsvm throws.
sparse_dataset open_ratings(const std::string& path, const open_options& options = {});

/// The names of users and items that are no numbers: the user with the id k is called users[k]. Names are distinct.
struct rating_names {
  std::vector<std::string> users{}, items{};  ///< by number
};

/// The same for ratings whose users and items are names. Those of `names` have the ids that stand there; new ones are
/// appended in the order of their bytes, so that equal files make equal ids. There is no cache: it would not know the
/// names.
sparse_dataset open_ratings(const std::string& path, const open_options& options, rating_names& names);

}  // namespace hogwild
