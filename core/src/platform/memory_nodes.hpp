// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

}  // namespace hogwild::detail
