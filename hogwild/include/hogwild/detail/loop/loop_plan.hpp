// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/loop/loop_options.hpp>

namespace hogwild {

struct rating_list;

/// How the workers of a run train: training_task::plan() decides it before the first epoch, and nothing changes it
/// afterwards.
struct loop_plan {
  loop_options options{};  ///< sharing, exchange, batch, shards and ownership as decided
  chunk_plan chunks{0, 1};
  std::shared_ptr<const rating_list> blocks{};  ///< the ratings block by block, if blocks have owners

  /// How many of `workers` train: no more than there are chunks. In lockstep a worker without rows takes part all the
  /// same, because the result depends on it.
  std::size_t training_workers(std::size_t workers) const {
    return in_lockstep(options.sharing) ? workers : std::min(workers, chunks.count());
  }
};

}  // namespace hogwild
