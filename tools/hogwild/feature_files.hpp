// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/dataset.hpp>
#include <hogwild/formats/side_features.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

/// Reads the files of --user-features and --item-features. Features in `names` keep their numbers.
side_features read_feature_files(const data_options& options, const rating_names& names);

/// The pairs with the features of these files, which are kept in options.features; the pairs alone without such files.
sparse_dataset with_feature_files(const sparse_dataset& pairs, const data_options& options);

}  // namespace hogwild::cli
