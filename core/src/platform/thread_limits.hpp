// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace hogwild::detail {

/// The pids limit of the first control group whose processes and threads have reached it; nothing if none has reached
/// its limit. The arguments are as those of cpu_quota_in().
std::optional<std::uint64_t> reached_pids_limit(const std::filesystem::path& proc_self_cgroup,
                                                const std::filesystem::path& cgroup_root);

/// kernel.threads-max if the whole machine has as many threads. `proc` has the form of /proc.
std::optional<std::uint64_t> reached_machine_limit(const std::filesystem::path& proc);

}  // namespace hogwild::detail
