// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>

#include <hogwild/detail/platform/cpu_load.hpp>

namespace hogwild::detail {

/// Of these CPUs, as `proc_stat`, which looks like /proc/stat, has them; of all that it has where one of them is not
/// named, since in a container their numbers may be others. Nothing where it cannot be read or tells of no time.
std::optional<cpu_account::of_machine> machine_times(const std::filesystem::path& proc_stat, std::span<const int> cpus);

/// The longest that one of the control groups that hold this process was stopped by its quota, over all CPUs; zero
/// where none has a quota. The arguments are as those of cpu_quota_in().
std::chrono::nanoseconds withheld_time(const std::filesystem::path& proc_self_cgroup,
                                       const std::filesystem::path& cgroup_root);

}  // namespace hogwild::detail
