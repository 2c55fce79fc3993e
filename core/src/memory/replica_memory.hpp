// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>

namespace hogwild::detail {

/// Places the replicas of a ring on their nodes: replica v, at base + layout.ring + v * stride, on nodes[v]. To be
/// called before anybody touches them. `touch(offset, bytes)` makes the system allocate that part; it is called from a
/// thread on CPUs near the nodes if the system refuses to bind memory to them.
placed_memory place_replica_memory(std::byte* base, const store_shape& shape, std::span<const std::vector<int>> nodes,
                                   const std::function<void(std::size_t, std::size_t)>& touch);

}  // namespace hogwild::detail
