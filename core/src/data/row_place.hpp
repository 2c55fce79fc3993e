// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hogwild::detail {

/// A row among the blocks of a text.
struct row_place {
  std::uint32_t block;
  std::uint32_t row;
};

}  // namespace hogwild::detail
