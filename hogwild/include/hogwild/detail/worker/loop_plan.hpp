// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

class exchange_hook;
class param_store;
struct rating_list;
class worker_memory;

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

/// One worker in a round: its inputs, and what belongs to it.
struct worker_context {
  const loop_plan& plan;
  const param_store& store;
  std::size_t slot;
  worker_memory& memory;  ///< kept from round to round
  exchange_hook* hook;    ///< told of each exchange with the store, if that is one replica of several; else null
};

}  // namespace hogwild
