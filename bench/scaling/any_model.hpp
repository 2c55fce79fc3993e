// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/registry.hpp>

namespace hogwild::bench {

/// The named model, with the sizes that the data ask for.
inline named_model any_model(const std::string& name, const sparse_view& rows) {
  return make_model(name, {.rows = rows});
}

}  // namespace hogwild::bench
