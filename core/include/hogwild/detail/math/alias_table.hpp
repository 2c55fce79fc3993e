// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// A column of the alias method (Walker 1977): of 2^32 equally likely values, those below `below` select its own item,
/// the rest the other one.
struct alias_column {
  std::uint32_t own, other, below;

  HOGWILD_DEVICE_CODE std::uint32_t drawn_by(std::uint32_t bits) const { return bits < below ? own : other; }
};

/// A table with one column for each mass, all at least 0, for draws in proportion to the masses; if all are 0, for
/// uniform draws.
std::vector<alias_column> alias_table(std::vector<double> mass);

/// Draws an item with 64 random bits; the table is not empty.
inline std::uint32_t draw_from(std::span<const alias_column> table, std::uint64_t bits) {
  return table[static_cast<std::size_t>((bits >> 32) * table.size() >> 32)].drawn_by(static_cast<std::uint32_t>(bits));
}

}  // namespace hogwild
