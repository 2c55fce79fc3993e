// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <hogwild/error.hpp>

// Threads and the limits on them. A limit on processes (ulimit -u, a container's pids limit) counts threads too. All
// functions may be called by any thread.

namespace hogwild {

/// The limit that keeps this process from starting another thread or process, and what to do about it, as the end of a
/// sentence. Call it right after one was refused, while those that were started before still run.
std::string thread_limit_text();

/// Throws resource_error, with that text, unless the system gives this process `n` more threads at the same time. Call
/// it before libraries that start threads by themselves and end the program if they get none. It starts the threads and
/// ends them again, which takes some 20 microseconds each.
void require_threads(std::size_t n);

/// The same for oneTBB, which is about to have at most `most` threads at work, including the calling one. oneTBB keeps
/// its threads, so those that an earlier call has checked are not checked again.
void require_tbb_threads(std::size_t most);

/// A thread that runs what std::jthread would run. Throws resource_error, with the limit that was reached, if the
/// system refuses it.
template <class... Parts>
std::jthread start_thread(Parts&&... parts) {
  try {
    return std::jthread(std::forward<Parts>(parts)...);
  } catch (const std::system_error&) {
    throw resource_error("cannot start another thread: " + thread_limit_text());
  }
}

namespace detail {

/// The pids limit of the first control group whose processes and threads have reached it; nothing if none has reached
/// its limit. The arguments are as those of cpu_quota_in().
std::optional<std::uint64_t> reached_pids_limit(const std::filesystem::path& proc_self_cgroup,
                                                const std::filesystem::path& cgroup_root);

/// kernel.threads-max if the whole machine has as many threads. `proc` has the form of /proc.
std::optional<std::uint64_t> reached_machine_limit(const std::filesystem::path& proc);

}  // namespace detail

}  // namespace hogwild
