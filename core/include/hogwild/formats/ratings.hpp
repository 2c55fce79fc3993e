// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>

namespace hogwild {

// Ratings text: one a line, "user item rating"; further fields (a time) are ignored.
//
// Fields are separated by tabs if a line has one, else by commas, semicolons, bars, "::" or blanks. The separator and
// the number of fields are the same in all lines. None of the three fields may be empty. A field may stand in quotation
// marks, in which "" stands for one quotation mark. Users and items are whole numbers from 0 to largest_rating_id, or
// names of at most 255 bytes, which may contain blanks; a rating is a finite number. Blank lines are skipped. '#'
// begins a comment, but not within a name; a line that begins with '#' and could be a rating by a name is refused. The
// first line is a header if none of its fields is a number where the lines below have numbers: its words say which
// field is which, in any order, and a note reports this.
//
// As a row of data, a rating is two entries of value 1, its user and its item, and the rating is its label. In the
// input's numbering users have odd column numbers and items even ones. Among the positions all users come before all
// items, each by falling number of ratings.

/// The largest id of a user or an item.
inline constexpr std::uint32_t largest_rating_id = 2147483646;

/// The input number of a user's column; `id` is at most largest_rating_id.
constexpr std::uint32_t user_column(std::uint32_t id) {
  return 2 * id + 1;
}
/// The input number of an item's column; `id` is at most largest_rating_id.
constexpr std::uint32_t item_column(std::uint32_t id) {
  return 2 * id + 2;
}
/// Whether a column belongs to a user, and not to an item.
constexpr bool is_user_column(std::uint32_t column) {
  return column % 2 == 1;
}
/// The id of the user or item that a column belongs to.
constexpr std::uint32_t rating_id(std::uint32_t column) {
  return (column - 1) / 2;
}

/// The number of users among these columns, which are in the order of their positions.
std::size_t count_users(std::span<const std::uint32_t> original);

/// Opens ratings, plain or compressed, as open_libsvm opens its text; sparse_view::original tells the user or item of
/// each column. With labels_optional a line may end after the item. Throws what open_libsvm throws.
sparse_dataset open_ratings(const std::string& path, const open_options& options = {});

/// The names of users and items that are not numbers: users[k] is the name of the user with the id k. Names are
/// distinct.
struct rating_names {
  std::vector<std::string> users{}, items{};  ///< by id
};

/// The same for ratings whose users and items have names. Names in `names` have their ids from there; new ones are
/// appended in the order of their bytes, so equal files make equal ids. There is no cache, as it would not know the
/// names.
sparse_dataset open_ratings(const std::string& path, const open_options& options, rating_names& names);

}  // namespace hogwild
