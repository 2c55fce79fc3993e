// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/loop/loop_options.hpp>

namespace hogwild {

struct rating_list;

/// How the workers of a run train, decided before the first epoch and not changed afterwards: made by
/// training_task::plan().
struct loop_plan {
  loop_options options{};  ///< sharing, exchange, batch, shards and ownership as decided
  chunk_plan chunks{0, 1};
  std::shared_ptr<const rating_list> blocks{};  ///< where blocks of ratings have owners: the ratings block by block

  /// How many of `workers` train: no more than there are chunks. In lockstep one without rows takes part all the same,
  /// and what the run ends with depends on it.
  std::size_t training_workers(std::size_t workers) const {
    return in_lockstep(options.sharing) ? workers : std::min(workers, chunks.count());
  }
};

}  // namespace hogwild
