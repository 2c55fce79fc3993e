// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/formats/ratings.hpp>

namespace hogwild {

// Pairs of a user and an item: implicit feedback, in one of two forms.
//
// Lines, "user item", "user item weight" or "user item weight time", are read as ratings are (formats/ratings.hpp): the
// same separators, quotation marks, comments and headers, and users and items are numbers or names. A weight is finite
// and above 0, and 1 if absent; a time is a finite number.
//
// Lists, "user item item ...", have a line for a user and any number of the user's items, perhaps none; a user may have
// several lines. Fields are separated as those of lines are. All weights are 1.
//
// As a row of data, a pair is two entries of value 1, its user and its item, with the columns of ratings
// (user_column(), item_column()), and its weight is its label. Among the positions all users come before all items,
// each by falling number of pairs. A pair that is there several times is kept each time.

/// The form of a file of pairs.
enum class pair_form : std::uint32_t {
  automatic,  ///< lines if all lines have the same two to four fields, of which the third is a number; else lists
  lines,      ///< "user item [weight [time]]"
  lists       ///< "user item item ..."
};

/// How pairs are read.
struct pair_options {
  pair_form form = pair_form::automatic;  ///< automatic: decided over the whole file
  /// The third field is a rating, any finite number: ratings of at least this become pairs of weight 1, and the others
  /// are left out. Such a file has lines.
  std::optional<double> positive_from{};
  /// A file of pairs of the same data, such as the training rows of test rows; empty: none. Where all lines have the
  /// same three or four fields, as lists of equal length have, too, the automatic form is that of this file.
  std::string like{};
};

/// Opens pairs, plain or compressed, as open_ratings opens ratings. A note tells which form was found, how many ratings
/// were left out, and how many pairs repeat others. Throws what open_libsvm throws, input_error if no rating is high
/// enough, and config_error for ratings in lists. All pairs are held in memory while they are read.
sparse_dataset open_pairs(const std::string& path, const pair_options& pairs = {}, const open_options& options = {});
/// The same for users and items with names, as open_ratings has them.
sparse_dataset open_pairs(const std::string& path, const pair_options& pairs, const open_options& options,
                          rating_names& names);

/// The time of each row of opened pairs, in the order of view(); empty if the file has no times, and for copies of
/// rows.
std::vector<double> pair_times(const sparse_dataset& pairs);

}  // namespace hogwild
