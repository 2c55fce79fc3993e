// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/formats/side_features.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>

// Saved models of pairs with features. While a model is trained, users and items have rows of their own beside those of
// the features. A saved model holds the sums of both, so that whoever uses it need not know of features, and the
// features' rows in its bias, from which other users and items get vectors.

namespace hogwild {

/// Whether the model was made for pairs with features.
bool has_features(const named_model& m);

/// Turns the rows of a saved model, as to_saved() makes them, into those sums, and names its features. `rows`: those
/// that it was trained on. Throws config_error for other rows, or names.
void compose_features(saved_model& saved, const sparse_view& rows, const rating_names& names);

/// warm_start() (warm_start.hpp) for a model with features, whose `names` and `rows` these are. Users and items that
/// the saved model has begin with its vectors: their own rows are what the rows of their features lack. Features begin
/// with those of the same name. The saved model may have no features. With `state` the saved rows are an array of the
/// optimiser's state instead, which is copied row by row.
std::size_t begin_with_features(const saved_model& saved, const named_model& m, const sparse_view& rows,
                                const rating_names& names, std::span<const std::string> groups,
                                std::span<float> parameters, const saved_state::array* state = nullptr);

/// The model with further users and items, whose vectors are made of those of their features alone; users and items
/// that it has stay as they are. Features that the model does not have are left out. Throws input_error if the model
/// has no features, or none of these.
saved_model with_members_of_features(const saved_model& saved, const side_features& features);

}  // namespace hogwild
