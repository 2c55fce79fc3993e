// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>

#include <hogwild/detail/platform/cpu_load.hpp>

namespace hogwild::detail {

/// The times of these CPUs in `proc_stat`, which has the form of /proc/stat. If one of them is missing there, those of
/// all its CPUs: in a container numbers may differ. Nothing if it cannot be read or holds no times.
std::optional<cpu_account::of_machine> machine_times(const std::filesystem::path& proc_stat, std::span<const int> cpus);

/// The longest time for which a control group of this process was stopped by its quota, over all CPUs; zero if none has
/// a quota. The arguments are as those of cpu_quota_in().
std::chrono::nanoseconds withheld_time(const std::filesystem::path& proc_self_cgroup,
                                       const std::filesystem::path& cgroup_root);

}  // namespace hogwild::detail
