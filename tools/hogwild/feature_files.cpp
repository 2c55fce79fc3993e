// SPDX-License-Identifier: Apache-2.0
#include "feature_files.hpp"

#include <functional>
#include <string_view>

namespace hogwild::cli {

side_features read_feature_files(const data_options& options, const rating_names& names) {
  side_features read{.names = names};
  if (!options.user_features.empty()) read_side_features(options.user_features, true, options.names.get(), read);
  if (!options.item_features.empty()) read_side_features(options.item_features, false, options.names.get(), read);
  return read;
}

sparse_dataset with_feature_files(const sparse_dataset& pairs, const data_options& options) {
  if (!options.has_features()) return pairs;
  *options.features = read_feature_files(options, options.features->names);
  return with_side_features(pairs, *options.features, note_of(options));
}

}  // namespace hogwild::cli
