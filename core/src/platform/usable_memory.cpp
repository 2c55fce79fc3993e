// SPDX-License-Identifier: Apache-2.0
#include "platform/usable_memory.hpp"

#include <algorithm>
#include <fstream>

#include <hogwild/detail/platform/machine.hpp>

#include "platform/control_groups.hpp"

namespace hogwild::detail {

std::uint64_t usable_memory(const std::filesystem::path& proc, const std::filesystem::path& cgroup) {
  std::uint64_t least = this_machine(proc).memory_bytes;
  for_control_groups(proc / "self/cgroup", cgroup, "memory", [&](const std::filesystem::path& group, int version) {
    std::ifstream file(group / (version == 2 ? "memory.max" : "memory.limit_in_bytes"));
    // "max", and the largest number of v1, mean no limit.
    if (std::uint64_t limit = 0; file >> limit && limit > 0) least = least == 0 ? limit : std::min(least, limit);
  });
  return least;
}

}  // namespace hogwild::detail
