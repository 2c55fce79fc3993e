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
  int number = 0;  ///< the operating system's
  std::vector<int> cpus{};
  std::vector<std::vector<core_cpus>> clusters{};  ///< cores, those together that share a third-level cache
};

/// Memory nodes that have CPUs, in the order of the topology; one with all usable CPUs where nothing is known.
/// `synthetic`: of a machine that hwloc makes up, for tests; null: of this one.
std::vector<memory_node> read_memory_nodes(const char* synthetic = nullptr);

/// Those of this machine, read once: it takes milliseconds, and the machine does not change.
const std::vector<memory_node>& memory_nodes();

/// Cores of a node, cluster after cluster.
std::vector<core_cpus> cores_of(const memory_node& node);

}  // namespace hogwild::detail
