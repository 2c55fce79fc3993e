// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace hogwild {

/// The machine on which a number was measured.
struct machine_facts {
  std::string cpu_model;            ///< as the kernel names it; else "unknown"
  std::size_t logical_cpus = 0;     ///< those of the machine that are switched on
  std::size_t usable_cpus = 0;      ///< those that this process may use
  std::optional<double> cpu_quota;  ///< CPUs' worth of time that the control groups grant; nothing: no limit
  std::size_t numa_nodes = 0;
  std::uint64_t memory_bytes = 0;       ///< 0 if unknown
  std::string kernel;                   ///< release, e.g. "6.1.0-18-amd64"; else "unknown"
  std::optional<std::string> governor;  ///< of the first CPU's clock, e.g. "performance"; nothing if unreadable
};

/// Facts about this machine. Texts are read from files under `proc` and `sys`, counts come from topology.hpp. Never
/// fails: what cannot be read keeps its "unknown" value.
machine_facts this_machine(const std::filesystem::path& proc = "/proc", const std::filesystem::path& sys = "/sys");

/// The most memory that this process has had resident so far, in bytes.
std::uint64_t peak_rss_bytes();

/// The CPU time of all threads of this process so far, without children that it waited for.
std::chrono::nanoseconds process_cpu_time();

/// The CPU time of the calling thread so far: the difference of two calls excludes the time that it waited.
std::chrono::nanoseconds thread_cpu_time();

}  // namespace hogwild
