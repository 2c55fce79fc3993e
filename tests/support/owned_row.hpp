// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <hogwild/detail/data/example.hpp>

namespace hogwild::test {

/// A row that owns its entries.
struct owned_row {
  std::vector<std::uint32_t> index;
  std::vector<float> value;
  float label = 0.0f;
  operator sparse_row<float>() const { return {index, value, label}; }
};

}  // namespace hogwild::test
