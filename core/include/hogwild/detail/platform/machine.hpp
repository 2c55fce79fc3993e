// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace hogwild {

/// The machine that a number was measured on.
struct machine_facts {
  std::string cpu_model;            ///< as the kernel names it; "unknown" where it does not
  std::size_t logical_cpus = 0;     ///< switched on in the machine
  std::size_t usable_cpus = 0;      ///< that this process may use
  std::optional<double> cpu_quota;  ///< CPUs' worth of time that the control groups grant; nothing: no limit
  std::size_t numa_nodes = 0;
  std::uint64_t memory_bytes = 0;       ///< 0 where unknown
  std::string kernel;                   ///< release, e.g. "6.1.0-18-amd64"; "unknown" where it does not tell
  std::optional<std::string> governor;  ///< of the first CPU's clock, e.g. "performance"; nothing where unreadable
};

/// Facts about this machine. What is text comes from files under `proc` and `sys`, the counts from topology.hpp. Never
/// fails: what cannot be read is left at its "unknown".
machine_facts this_machine(const std::filesystem::path& proc = "/proc", const std::filesystem::path& sys = "/sys");

/// The most memory that this process has had resident so far, in bytes.
std::uint64_t peak_rss_bytes();

/// The CPU time that all threads of this process have had so far; of children that it waited for not.
std::chrono::nanoseconds process_cpu_time();

/// The CPU time that the calling thread has had so far: how much two calls are apart does not count what it waited for.
std::chrono::nanoseconds thread_cpu_time();

}  // namespace hogwild
