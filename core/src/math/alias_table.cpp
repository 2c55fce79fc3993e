// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/alias_table.hpp>

#include <algorithm>
#include <numeric>

namespace hogwild {

// Columns that are too small are filled up from one that is too large, until all are equal (Vose 1991).
std::vector<alias_column> alias_table(std::vector<double> mass) {
  std::vector<alias_column> table(mass.size());
  const double sum = std::accumulate(mass.begin(), mass.end(), 0.0);
  const double scale = sum > 0.0 ? static_cast<double>(mass.size()) / sum : 0.0;
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t i = 0; i < mass.size(); ++i) {
    mass[i] = scale > 0.0 ? mass[i] * scale : 1.0;
    (mass[i] < 1.0 ? small : large).push_back(i);
  }
  constexpr double chances = 0x1p32;
  while (!small.empty() && !large.empty()) {
    const std::uint32_t own = small.back(), other = large.back();
    small.pop_back();
    table[own] = {own, other, static_cast<std::uint32_t>(std::min(mass[own] * chances, chances - 1.0))};
    mass[other] -= 1.0 - mass[own];
    if (mass[other] >= 1.0) continue;
    large.pop_back();
    small.push_back(other);
  }
  for (const auto* const rest : {&small, &large})
    for (const std::uint32_t own : *rest) table[own] = {own, own, 0xffffffffu};
  return table;
}

}  // namespace hogwild
