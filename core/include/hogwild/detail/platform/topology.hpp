// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

// The CPUs and memory nodes that this process may use. All functions may be called by any thread; CPUs are the
// operating system's numbers.

namespace hogwild {

/// Logical CPUs of the machine that are switched on, whether or not this process may use them.
std::size_t logical_cpus();

/// CPUs that this process may use (its affinity mask, which cpusets narrow), ascending; never empty.
std::vector<int> usable_cpu_list();
std::size_t usable_cpus();

/// The CPUs' worth of time that the process's control groups grant, e.g. 1.5; nothing if there is no limit. The
/// smallest grant of a group and its ancestors counts. Supports cgroup v1 and v2.
std::optional<double> cpu_quota();
/// The same from other files: the list of groups, and the folder where the controllers are mounted.
std::optional<double> cpu_quota_in(const std::filesystem::path& proc_self_cgroup,
                                   const std::filesystem::path& cgroup_root);

/// The default number of workers: usable CPUs or the quota, whichever is less, rounded down, at least one. Rounded down
/// because all workers meet at the end of an epoch: with a quota of 1.5 two workers would both be stopped for a quarter
/// of the time, at moments that nobody controls.
std::size_t default_workers();
/// The rule by itself.
std::size_t default_workers(std::size_t usable, std::optional<double> quota);

/// Bytes of a core's own second-level cache; 1 MiB if the system does not report it.
std::size_t level2_cache_bytes();

/// Memory nodes that have CPUs of their own, at least one; numbered from 0 in the order of the topology.
std::size_t numa_nodes();
/// The number of them that have a CPU in `allowed`; at least one.
std::size_t numa_nodes(std::span<const int> allowed);
/// CPUs near memory node `node`, ascending. Throws config_error if there is no such node.
std::vector<int> cpus_of_node(std::size_t node);

/// The CPU for each of `workers` workers, taken from `allowed`: node by node, whole cores first, then their second
/// hyper-threads, and again from the start if there are more workers than CPUs. Empty if `allowed` is empty.
std::vector<int> worker_cpus(std::size_t workers, std::span<const int> allowed);

/// Lets the calling thread run on these CPUs only. Returns false, and changes nothing, if the system refuses.
bool bind_this_thread(std::span<const int> cpus) noexcept;

/// Keeps the thread that makes it on these CPUs; its destructor restores the previous set. Does nothing if `cpus` is
/// empty or the system refuses. The same thread must destroy it.
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
/// alternately if there are several, and from others when these are full. Returns false, and changes nothing, if the
/// system refuses, as it often does in containers, or has no such node.
bool bind_memory(std::span<std::byte> bytes, std::span<const int> nodes) noexcept;

}  // namespace hogwild
