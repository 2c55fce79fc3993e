// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/core/optimizer.hpp>
#include <hogwild/core/sampler.hpp>
#include <hogwild/core/shard.hpp>
#include <hogwild/core/update_policy.hpp>

namespace hogwild {

/// Where a worker reads and writes.
enum class sharing_kind : std::uint32_t {
  automatic,  ///< what suits the data and the machine
  direct      ///< all on one shared array, an update a step: Hogwild! to the letter
};

/// What the inner loop needs to know of a run's options; copied into the segment for worker processes.
struct loop_options {
  update_kind update = update_kind::lossy;
  optimizer_kind optimizer = optimizer_kind::sgd;
  sharing_kind sharing = sharing_kind::direct;
  row_order order = row_order::chunked;
  sharding shards = sharding::claimed;
  std::uint32_t bias = 0;
  std::uint32_t telemetry = 1;
  std::uint32_t reserved = 0;
  double l2 = 0.0;
  double weight_positive = 1.0;
  std::uint64_t seed = 1;
};

}  // namespace hogwild
