// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/platform/placement.hpp>

namespace hogwild::detail {

/// The logical CPUs of a core, in the order of the topology.
using core_cpus = std::vector<int>;

/// Memory and the CPUs near it.
struct memory_node {
  int number = 0;  ///< the operating system's number
  std::vector<int> cpus{};
  std::vector<std::vector<core_cpus>> clusters{};  ///< cores, grouped by shared third-level caches
};

/// Memory nodes that have CPUs, in the order of the topology; a single one with all usable CPUs if nothing is known.
/// `synthetic`: describes a machine for hwloc to simulate, for tests; null: this machine.
std::vector<memory_node> read_memory_nodes(const char* synthetic = nullptr);

/// The nodes of this machine, read once: it takes milliseconds, and the machine does not change.
const std::vector<memory_node>& memory_nodes();

/// Cores of a node, cluster by cluster.
std::vector<core_cpus> cores_of(const memory_node& node);

/// place_replicas() on a machine with these nodes.
ring_placement place_replicas_on(std::span<const memory_node> nodes, std::size_t workers, std::size_t replicas,
                                 std::span<const int> allowed);

/// worker_cpus() on such a machine.
std::vector<int> worker_cpus_on(std::span<const memory_node> nodes, std::size_t workers, std::span<const int> allowed);

}  // namespace hogwild::detail
