// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/memory_grant.hpp>

#include <algorithm>
#include <fstream>
#include <string>

#include <hogwild/detail/platform/machine.hpp>

#include "platform/control_groups.hpp"

namespace hogwild {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in_file(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (!(in >> number)) return std::nullopt;  // "max", or no such file
  return number;
}

/// Pages of files that are not locked: the system writes them back, or drops them, before it kills a process. This
/// excludes shared memory.
std::uint64_t taken_back(const fs::path& group, bool first_version) {
  const std::string prefix = first_version ? "total_" : "";
  std::ifstream lines(group / "memory.stat");
  std::uint64_t sum = 0, number = 0;
  for (std::string name; lines >> name >> number;)
    if (name == prefix + "active_file" || name == prefix + "inactive_file") sum += number;
  return sum;
}

std::optional<memory_grant> grant_of(const fs::path& group, int version) {
  constexpr std::uint64_t no_limit = std::uint64_t{1} << 62;  // in version 1, which has no word for it
  const bool first = version == 1;
  const auto limit = number_in_file(group / (first ? "memory.limit_in_bytes" : "memory.max"));
  const auto used = number_in_file(group / (first ? "memory.usage_in_bytes" : "memory.current"));
  if (!limit || !used || *limit == 0 || *limit >= no_limit) return std::nullopt;
  const std::uint64_t held = *used - std::min(*used, taken_back(group, first));
  return memory_grant{*limit, *limit - std::min(*limit, held)};
}

}  // namespace

std::optional<memory_grant> granted_memory(const fs::path& proc, const fs::path& cgroup) {
  std::optional<memory_grant> least;
  detail::for_control_groups(proc / "self/cgroup", cgroup, "memory", [&](const fs::path& group, int version) {
    const auto found = grant_of(group, version);
    if (found && (!least || found->left < least->left)) least = found;
  });
  return least;
}

std::uint64_t detail::usable_memory(const fs::path& proc, const fs::path& cgroup) {
  std::uint64_t least = this_machine(proc).memory_bytes;
  for_control_groups(proc / "self/cgroup", cgroup, "memory", [&](const fs::path& group, int version) {
    std::ifstream file(group / (version == 2 ? "memory.max" : "memory.limit_in_bytes"));
    // "max", and the largest number of v1, mean no limit.
    if (std::uint64_t limit = 0; file >> limit && limit > 0) least = least == 0 ? limit : std::min(least, limit);
  });
  return least;
}

}  // namespace hogwild
