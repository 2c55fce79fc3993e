// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace hogwild {

/// What a control group grants its processes, all together, in bytes.
struct memory_grant {
  std::uint64_t limit = 0;
  std::uint64_t left =
      0;  ///< before one of them is killed: what they hold less what the system can take back from files
};

/// Of the control groups of this process the one with the least left; nothing where none has a limit. `proc` and
/// `cgroup` look like /proc and /sys/fs/cgroup.
std::optional<memory_grant> granted_memory(const std::filesystem::path& proc = "/proc",
                                           const std::filesystem::path& cgroup = "/sys/fs/cgroup");

}  // namespace hogwild
