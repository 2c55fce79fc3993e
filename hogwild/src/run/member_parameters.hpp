// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/run/ranks_at_work.hpp>

namespace hogwild::detail {

/// Calls take(k, w) on the first rank for all models that ranks divide by these portions, in order: w are the `each`
/// parameters of model k, which its rank gets from of(k). All ranks call it. Throws as a collective.
template <class Of, class Take>
void for_all_members(ranks_at_work& ranks, const rank_portions& portions, std::size_t each, const Of& of,
                     const Take& take) {
  if (ranks.alone()) {
    for (std::size_t k = 0; k < portions.all; ++k) take(k, std::span<const float>(of(k)));
    return;
  }
  // Each rank's models one behind the other, with unused room if it has one fewer than the first.
  const std::size_t rank = ranks.rank(), first = portions.first_of(rank);
  std::vector<float> own(each * portions.count_of(0));
  for (std::size_t k = first; k < portions.first_of(rank + 1); ++k)
    std::ranges::copy(of(k), own.begin() + static_cast<std::ptrdiff_t>((k - first) * each));
  const std::size_t room = own.size();
  const std::vector<float> all = ranks.agreed().gathered_by_first(std::move(own));
  if (rank > 0) return;
  for (std::size_t k = 0; k < portions.all; ++k) {
    const std::size_t of_rank = portions.rank_of(k);
    const std::size_t at = of_rank * room + (k - portions.first_of(of_rank)) * each;
    take(k, std::span(all).subspan(at, each));
  }
}

}  // namespace hogwild::detail
