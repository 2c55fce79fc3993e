// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/saved_model.hpp>

namespace hogwild {

// Features of users and items beside pairs: genres, tags, departments.
//
// A file has a line for each user, or for each item: its number or name, as in the pairs, and then any number of
// features. Fields are separated by tabs if a line has one, else by blanks. A feature is a name, or a name, a colon and
// its weight, a finite number; if no number follows its last colon, or it stands in quotation marks, the whole is the
// name, and the weight is 1. Blank lines, and lines that begin with '#', are skipped. Features of users and those
// of items are different ones, even if they have the same name.

/// Features as read. The lists follow each other; that of columns[k] ends where the next one begins.
struct side_features {
  rating_names names{};                  ///< of the features: names.users of those of users, by number
  std::vector<std::uint32_t> columns{};  ///< the user or item of each list (user_column(), item_column()), distinct
  std::vector<std::size_t> start{0};     ///< where each list begins, and the end
  std::vector<std::uint32_t> feature{};  ///< its number in names.users or names.items, distinct in a list
  std::vector<float> weight{};           ///< of each, finite
  std::string source{"the features"};    ///< the files' names, for messages

  bool any() const { return !columns.empty(); }  ///< whether there are lists
};

/// Reads the features of users, or of items, and appends them. Features in `into.names` have their numbers from there;
/// new ones get the next ones, in the order of the file. `ids`: the names of users and items, to which new ones are
/// appended in the order of their bytes; null: users and items are numbers. Throws format_error for a line that is no
/// list of features, and input_error for a file without any.
void read_side_features(const std::string& path, bool of_users, rating_names* ids, side_features& into);

/// The same pairs with features as the parts of their columns (detail/data/column_parts.hpp), in memory. Users and
/// items that only the features have become columns, too, behind the others of their kind. Features of users are the
/// first parts. `note` gets a sentence for users, and one for items: how many have features. Throws input_error if the
/// features are of no user, or of no item, of the pairs.
sparse_dataset with_side_features(const sparse_dataset& pairs, const side_features& features,
                                  const std::function<void(std::string_view sentence)>& note = {});

// A saved model keeps the names of its features as its schema.

/// Whether the schema of a model is such names.
bool names_side_features(const saved_model& model);
/// Makes these names the schema of a model.
void keep_side_features(const rating_names& names, saved_model& model);
/// The names of the features of a saved model, in the order of their rows; nothing if it has none. Throws input_error
/// if there are not as many as rows.
std::optional<rating_names> side_features_of(const saved_model& model);

}  // namespace hogwild
