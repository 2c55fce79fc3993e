// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <hogwild/detail/control/worker_slot.hpp>

namespace hogwild {

/// Calls visit(first, size) for the blocks of the run of `n` parameters from `offset` on, and after each reports
/// progress of the worker `me`: copying or merging a large model takes seconds in which no row is trained. Every loop
/// of a worker over a run of parameters goes through here. Called by the slot's owner.
template <class Visit>
void in_blocks(worker_slot& me, std::size_t offset, std::size_t n, const Visit& visit) {
  constexpr std::size_t block = std::size_t{1} << 14;  // microseconds of work
  for (std::size_t done = 0; done < n; done += block) {
    visit(offset + done, std::min(block, n - done));
    me.blocks.raise(1);
  }
}

}  // namespace hogwild
