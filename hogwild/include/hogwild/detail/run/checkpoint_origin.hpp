// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/options/named_values.hpp>
#include <hogwild/detail/results/checkpoint.hpp>

namespace hogwild::detail {

/// What a checkpoint says of the run or stream that wrote it, and what one that goes on from it must have, too: the
/// model, and a list of options and facts of the data.
struct checkpoint_origin {
  std::string_view model;
  std::vector<named_value> same;  ///< in the order in which differences are reported
};

void put_origin(checkpoint& file, const checkpoint_origin& origin);

/// Throws config_error unless the checkpoint at `path` has this origin: it names the first difference, with both
/// values. Throws input_error if the checkpoint lacks its origin.
void require_origin(const std::string& path, const checkpoint& file, const checkpoint_origin& origin);

}  // namespace hogwild::detail
