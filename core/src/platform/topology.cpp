// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/topology.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <string>

#include <sched.h>
#include <unistd.h>

#include <hogwild/error.hpp>

#include "platform/memory_nodes.hpp"

namespace hogwild {
namespace {

struct cpu_set_free {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using cpu_set_owner = std::unique_ptr<cpu_set_t, cpu_set_free>;

}  // namespace

std::size_t logical_cpus() {
  return static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::vector<int> usable_cpu_list() {
  // The kernel refuses a mask that is smaller than its own, and does not report that size.
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
  return detail::memory_nodes().size();
}

std::size_t numa_nodes(std::span<const int> allowed) {
  const auto usable = [&](const detail::memory_node& n) {
    return std::ranges::any_of(n.cpus, [&](int cpu) { return std::ranges::find(allowed, cpu) != allowed.end(); });
  };
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ranges::count_if(detail::memory_nodes(), usable)));
}

std::vector<int> cpus_of_node(std::size_t which) {
  const auto& nodes = detail::memory_nodes();
  if (which < nodes.size()) return nodes[which].cpus;
  throw config_error("there is no memory node " + std::to_string(which) + ": this machine has " +
                     std::to_string(nodes.size()) + ", numbered from 0");
}

std::vector<int> worker_cpus(std::size_t workers, std::span<const int> allowed) {
  return detail::worker_cpus_on(detail::memory_nodes(), workers, allowed);
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

thread_binding::thread_binding(std::span<const int> cpus) {
  if (cpus.empty()) return;
  before_ = usable_cpu_list();
  if (!bind_this_thread(cpus)) before_.clear();
}

thread_binding::~thread_binding() {
  bind_this_thread(before_);
}

}  // namespace hogwild
