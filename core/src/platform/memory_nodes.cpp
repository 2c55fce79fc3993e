// SPDX-License-Identifier: Apache-2.0
#include "platform/memory_nodes.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <hwloc.h>
#include <unistd.h>

#include <hogwild/detail/platform/topology.hpp>

namespace hogwild {

namespace detail {

namespace {

struct topology_free {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
using topology_owner = std::unique_ptr<hwloc_topology, topology_free>;

struct bitmap_free {
  void operator()(hwloc_bitmap_t b) const { hwloc_bitmap_free(b); }
};
using bitmap_owner = std::unique_ptr<hwloc_bitmap_s, bitmap_free>;

/// If /sys is not mounted, hwloc's Linux part finds nothing and prints that to standard error.
void keep_quiet_without_sysfs(hwloc_topology_t topology) {
  if (::access("/sys/devices/system/cpu/cpu0/topology", R_OK | X_OK) == 0) return;
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "linux");
}

topology_owner load(const char* synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  topology_owner topology(raw);
  if (synthetic == nullptr) keep_quiet_without_sysfs(raw);
  if (synthetic != nullptr && hwloc_topology_set_synthetic(raw, synthetic) != 0) return nullptr;
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

std::vector<int> numbers_in(hwloc_const_cpuset_t set) {
  std::vector<int> numbers;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) numbers.push_back(i);
  return numbers;
}

memory_node read_node(hwloc_topology_t topology, hwloc_obj_t at) {
  memory_node found{.number = static_cast<int>(at->os_index), .cpus = numbers_in(at->cpuset)};
  std::vector<int> in_cores;
  std::optional<hwloc_obj_t> cache;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_covering_cpuset_by_type(topology, at->cpuset, HWLOC_OBJ_CORE, core)) != nullptr;) {
    const hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L3CACHE, core);
    if (cache != above) found.clusters.emplace_back();
    cache = above;
    found.clusters.back().push_back(numbers_in(core->cpuset));
    in_cores.insert(in_cores.end(), found.clusters.back().back().begin(), found.clusters.back().back().end());
  }
  for (const int cpu : found.cpus) {  // some virtual machines do not report cores
    if (std::ranges::find(in_cores, cpu) != in_cores.end()) continue;
    if (found.clusters.empty()) found.clusters.emplace_back();
    found.clusters.back().push_back({cpu});
  }
  return found;
}

std::vector<memory_node> nodes_of(hwloc_topology_t topology) {
  std::vector<memory_node> nodes;
  hwloc_obj_t at = nullptr;
  while (topology != nullptr && (at = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, at)) != nullptr) {
    memory_node found = read_node(topology, at);
    // Memory without CPUs, or a second memory (high-bandwidth) of the same CPUs, is not used for workers.
    const bool known = std::ranges::find(nodes, found.cpus, &memory_node::cpus) != nodes.end();
    if (!found.cpus.empty() && !known) nodes.push_back(std::move(found));
  }
  if (nodes.empty()) {  // nothing is known: one node with everything
    memory_node all{.cpus = usable_cpu_list(), .clusters = {{}}};
    for (const int cpu : all.cpus) all.clusters.front().push_back({cpu});
    nodes.push_back(std::move(all));
  }
  return nodes;
}

/// Loaded on first use and kept, with the libraries that hwloc loads for it: few runs bind memory.
hwloc_topology_t kept_topology() {
  static const topology_owner kept = load(nullptr);
  return kept.get();
}

}  // namespace

std::vector<memory_node> read_memory_nodes(const char* synthetic) {
  return nodes_of(load(synthetic).get());
}

const std::vector<memory_node>& memory_nodes() {
  static const std::vector<memory_node> found = read_memory_nodes();
  return found;
}

std::vector<core_cpus> cores_of(const memory_node& node) {
  std::vector<core_cpus> all;
  for (const auto& cluster : node.clusters) all.insert(all.end(), cluster.begin(), cluster.end());
  return all;
}

}  // namespace detail

bool bind_memory(std::span<std::byte> bytes, std::span<const int> nodes) noexcept {
  if (bytes.empty() || nodes.empty()) return false;
  const hwloc_topology_t topology = detail::kept_topology();
  // For a synthetic machine hwloc reports success without doing anything.
  if (topology == nullptr || hwloc_topology_is_thissystem(topology) == 0) return false;
  const detail::bitmap_owner set(hwloc_bitmap_alloc());
  if (!set) return false;
  for (const int node : nodes) {
    if (node < 0 || hwloc_bitmap_set(set.get(), static_cast<unsigned>(node)) != 0) return false;
  }
  if (hwloc_bitmap_isincluded(set.get(), hwloc_topology_get_topology_nodeset(topology)) == 0) return false;
  const auto policy = nodes.size() > 1 ? HWLOC_MEMBIND_INTERLEAVE : HWLOC_MEMBIND_BIND;
  return hwloc_set_area_membind(topology, bytes.data(), bytes.size(), set.get(), policy, HWLOC_MEMBIND_BYNODESET) == 0;
}

}  // namespace hogwild
