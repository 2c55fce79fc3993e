// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/topology.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <string>

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <hogwild/core/error.hpp>

namespace hogwild {
namespace {

struct cpu_set_free {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using cpu_set_owner = std::unique_ptr<cpu_set_t, cpu_set_free>;

/// The cores of one memory node, each with its logical CPUs.
struct node {
  std::vector<int> cpus;
  std::vector<std::vector<int>> cores;
};

std::vector<int> numbers_in(hwloc_const_cpuset_t set) {
  std::vector<int> numbers;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) numbers.push_back(i);
  return numbers;
}

node read_node(hwloc_topology_t topology, hwloc_const_cpuset_t set) {
  node found{.cpus = numbers_in(set), .cores = {}};
  std::vector<int> in_cores;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_covering_cpuset_by_type(topology, set, HWLOC_OBJ_CORE, core)) != nullptr;) {
    found.cores.push_back(numbers_in(core->cpuset));
    in_cores.insert(in_cores.end(), found.cores.back().begin(), found.cores.back().end());
  }
  for (const int cpu : found.cpus) {  // some virtual machines do not tell about cores
    if (std::ranges::find(in_cores, cpu) == in_cores.end()) found.cores.push_back({cpu});
  }
  return found;
}

/// Where /sys is not mounted, hwloc's Linux part finds nothing and says so on standard error.
void keep_quiet_without_sysfs(hwloc_topology_t topology) {
  if (::access("/sys/devices/system/cpu/cpu0/topology", R_OK | X_OK) == 0) return;
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "linux");
}

std::vector<node> read_nodes() {
  std::vector<node> nodes;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) == 0) {
    keep_quiet_without_sysfs(topology);
    if (hwloc_topology_load(topology) == 0) {
      for (hwloc_obj_t at = nullptr; (at = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, at)) != nullptr;) {
        node found = read_node(topology, at->cpuset);
        // Memory without CPUs, or a second memory (high-bandwidth) of the same CPUs, is no place for a worker.
        const bool known = std::ranges::find(nodes, found.cpus, &node::cpus) != nodes.end();
        if (!found.cpus.empty() && !known) nodes.push_back(std::move(found));
      }
    }
    hwloc_topology_destroy(topology);
  }
  if (nodes.empty()) {  // nothing is known: one node with everything
    node all{.cpus = usable_cpu_list(), .cores = {}};
    for (const int cpu : all.cpus) all.cores.push_back({cpu});
    nodes.push_back(std::move(all));
  }
  return nodes;
}

/// Read once, since it takes milliseconds and the machine does not change.
const std::vector<node>& nodes() {
  static const std::vector<node> found = read_nodes();
  return found;
}

}  // namespace

std::size_t logical_cpus() {
  return static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::vector<int> usable_cpu_list() {
  // The kernel refuses a mask that is smaller than its own, and does not say how large that is.
  for (std::size_t room = 1024; room <= (1u << 20); room *= 2) {
    const cpu_set_owner set(CPU_ALLOC(room));
    const std::size_t bytes = CPU_ALLOC_SIZE(room);
    if (!set) break;
    if (::sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::vector<int> cpus;
    for (std::size_t cpu = 0; cpu < room; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
  }
  std::vector<int> all;
  for (std::size_t cpu = 0; cpu < logical_cpus(); ++cpu) all.push_back(static_cast<int>(cpu));
  return all;
}

std::size_t level2_cache_bytes() {
  const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : std::size_t{1} << 20;
}

std::size_t usable_cpus() {
  return usable_cpu_list().size();
}

std::size_t default_workers() {
  return default_workers(usable_cpus(), cpu_quota());
}

std::size_t default_workers(std::size_t usable, std::optional<double> quota) {
  const double granted = std::min(static_cast<double>(usable), quota.value_or(static_cast<double>(usable)));
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::floor(granted)));
}

std::size_t numa_nodes() {
  return nodes().size();
}

std::vector<int> cpus_of_node(std::size_t which) {
  if (which < nodes().size()) return nodes()[which].cpus;
  throw config_error("there is no memory node " + std::to_string(which) + ": this machine has " +
                     std::to_string(nodes().size()) + ", numbered from 0");
}

std::vector<int> worker_cpus(std::size_t workers, std::span<const int> allowed) {
  std::vector<int> order;
  const auto usable = [&](int cpu) {
    return std::ranges::find(allowed, cpu) != allowed.end() && std::ranges::find(order, cpu) == order.end();
  };
  // Each round takes the next allowed hyper-thread of each core.
  for (std::size_t before = allowed.size() + 1; before != order.size();) {
    before = order.size();
    for (const node& n : nodes()) {
      for (const auto& core : n.cores) {
        const auto next = std::ranges::find_if(core, usable);
        if (next != core.end()) order.push_back(*next);
      }
    }
  }
  for (const int cpu : allowed) {
    if (usable(cpu)) order.push_back(cpu);
  }
  std::vector<int> chosen;
  for (std::size_t worker = 0; worker < workers && !order.empty(); ++worker) {
    chosen.push_back(order[worker % order.size()]);
  }
  return chosen;
}

bool bind_this_thread(std::span<const int> cpus) noexcept {
  if (cpus.empty() || std::ranges::min(cpus) < 0) return false;
  const std::size_t room = static_cast<std::size_t>(std::ranges::max(cpus)) + 1, bytes = CPU_ALLOC_SIZE(room);
  const cpu_set_owner set(CPU_ALLOC(room));
  if (!set) return false;
  CPU_ZERO_S(bytes, set.get());
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set.get());
  return ::sched_setaffinity(0, bytes, set.get()) == 0;
}

}  // namespace hogwild
