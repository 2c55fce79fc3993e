// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace hogwild {

/// The memory that a control group grants its processes together, in bytes.
struct memory_grant {
  std::uint64_t limit = 0;
  std::uint64_t left = 0;  ///< until one of them is killed; file memory that the system can reclaim counts as left
};

/// For the control group of this process with the least memory left; nothing if none has a limit. `proc` and `cgroup`
/// are laid out like /proc and /sys/fs/cgroup.
std::optional<memory_grant> granted_memory(const std::filesystem::path& proc = "/proc",
                                           const std::filesystem::path& cgroup = "/sys/fs/cgroup");

namespace detail {

/// Bytes of memory that this process may use: the machine's, or what a control group grants if that is less. 0 if
/// neither is known. The arguments are as above.
std::uint64_t usable_memory(const std::filesystem::path& proc = "/proc",
                            const std::filesystem::path& cgroup = "/sys/fs/cgroup");

}  // namespace detail

}  // namespace hogwild
