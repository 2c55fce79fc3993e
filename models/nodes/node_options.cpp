// SPDX-License-Identifier: Apache-2.0
#include "nodes/node_descriptor.hpp"

namespace hogwild::detail {

std::size_t count_within(const model_options& options, std::string_view model, const char* option, std::size_t least,
                         std::size_t most, std::size_t otherwise) {
  const std::size_t n = options.count(option, otherwise);
  if (n < least || n > most)
    throw config_error("--" + std::string(option) + " of " + std::string(model) + " is a number from " +
                       std::to_string(least) + " to " + std::to_string(most));
  return n;
}

}  // namespace hogwild::detail
