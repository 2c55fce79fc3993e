// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/platform/placement.hpp>

#include "platform/memory_nodes.hpp"

namespace hogwild::detail {

/// place_replicas() on a machine with these nodes.
ring_placement place_replicas_on(std::span<const memory_node> nodes, std::size_t workers, std::size_t replicas,
                                 std::span<const int> allowed);

/// worker_cpus() on such a machine.
std::vector<int> worker_cpus_on(std::span<const memory_node> nodes, std::size_t workers, std::span<const int> allowed);

}  // namespace hogwild::detail
