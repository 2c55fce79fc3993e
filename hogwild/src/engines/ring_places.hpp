// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <hogwild/detail/platform/placement.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild::detail {

/// The CPUs of the replicas of a run's ring and of their workers; no places if there is no ring.
inline ring_placement places_of(const loop_options& options, std::span<const int> cpus) {
  if (options.exchange.replicas < 2) return {};
  return place_replicas(options.exchange.workers, options.exchange.replicas, cpus);
}

inline std::vector<std::vector<int>> nodes_of(const ring_placement& places) {
  std::vector<std::vector<int>> nodes;
  for (const replica_place& replica : places.replicas) nodes.push_back(replica.nodes);
  return nodes;
}

}  // namespace hogwild::detail
