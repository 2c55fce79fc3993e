// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace hogwild::detail {

/// Bytes of memory that this process may use: the machine's, or what a control group grants if that is less. 0 if
/// neither is known. `proc` and `cgroup` are laid out like /proc and /sys/fs/cgroup.
std::uint64_t usable_memory(const std::filesystem::path& proc = "/proc",
                            const std::filesystem::path& cgroup = "/sys/fs/cgroup");

}  // namespace hogwild::detail
