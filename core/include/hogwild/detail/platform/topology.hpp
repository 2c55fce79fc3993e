// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

// What this process may run on. All functions may be called by any thread; a CPU is the operating system's number of
// it.

namespace hogwild {

/// Logical CPUs of the machine that are switched on, whether this process may use them or not.
std::size_t logical_cpus();

/// CPUs that this process may use (affinity mask, which cpusets narrow), ascending; never empty.
std::vector<int> usable_cpu_list();
std::size_t usable_cpus();

/// How many CPUs' worth of time the process's control groups grant, e.g. 1.5; nothing where there is no limit. The
/// smallest grant on the way up counts. Knows cgroup v1 and v2.
std::optional<double> cpu_quota();
/// The same from other files: the list of groups, and the folder where the controllers are mounted.
std::optional<double> cpu_quota_in(const std::filesystem::path& proc_self_cgroup,
                                   const std::filesystem::path& cgroup_root);

/// How many workers to start where nobody says: usable CPUs or the quota, whichever is less, rounded down, at least
/// one. Down, since all workers meet at the end of an epoch: with a quota of 1.5 two workers would both be stopped for
/// a quarter of the time, at moments that nobody can choose.
std::size_t default_workers();
/// The rule by itself.
std::size_t default_workers(std::size_t usable, std::optional<double> quota);

/// Bytes of a core's own second-level cache; 1 MiB where the system does not say.
std::size_t level2_cache_bytes();

/// Memory nodes that have CPUs of their own, at least one; numbered from 0 in the order of the topology.
std::size_t numa_nodes();
/// Those of them that have a CPU in `allowed`; at least one.
std::size_t numa_nodes(std::span<const int> allowed);
/// CPUs near memory node `node`, ascending. Throws config_error where there is no such node.
std::vector<int> cpus_of_node(std::size_t node);

/// The CPU for each of `workers` workers, drawn from `allowed`: node by node, whole cores first, then their second
/// hyper-threads, and from the start again where there are more workers than CPUs. Empty where `allowed` is.
std::vector<int> worker_cpus(std::size_t workers, std::span<const int> allowed);

/// Lets the calling thread run on these CPUs only. False, and nothing changed, where the system refuses.
bool bind_this_thread(std::span<const int> cpus) noexcept;

/// Keeps the thread that makes it on these CPUs while it lives; then the thread may run where it might before. Does
/// nothing where there are none, or the system refuses. To be destroyed by the same thread.
class thread_binding {
 public:
  explicit thread_binding(std::span<const int> cpus);
  ~thread_binding();
  thread_binding(const thread_binding&) = delete;
  thread_binding& operator=(const thread_binding&) = delete;

 private:
  std::vector<int> before_;
};

/// Asks that whole pages, which nobody has touched yet, come from these memory nodes (the operating system's numbers),
/// in turns where there are several; from others when those are full. False, and nothing changed, where the system
/// refuses, as it often does in containers, or has no such node.
bool bind_memory(std::span<std::byte> bytes, std::span<const int> nodes) noexcept;

}  // namespace hogwild
