// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>

#include <hogwild/detail/platform/topology.hpp>

#include "platform/control_groups.hpp"

namespace hogwild {
namespace {

namespace fs = std::filesystem;
using quota = std::optional<double>;

quota smaller(quota a, quota b) {
  return !a ? b : !b ? a : std::min(*a, *b);
}

quota ratio(double time, double period) {
  if (time > 0 && period > 0) return time / period;
  return {};
}

/// v2: "cpu.max" holds "100000 100000", or "max 100000" for no limit.
quota read_v2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double time = 0, period = 0;
  if (file >> time >> period) return ratio(time, period);
  return {};
}

/// v1: two files; a time of -1 is no limit.
quota read_v1(const fs::path& group) {
  std::ifstream time_file(group / "cpu.cfs_quota_us"), period_file(group / "cpu.cfs_period_us");
  double time = 0, period = 0;
  if (time_file >> time && period_file >> period) return ratio(time, period);
  return {};
}

}  // namespace

std::optional<double> cpu_quota_in(const fs::path& proc_self_cgroup, const fs::path& cgroup_root) {
  quota found;
  detail::for_control_groups(proc_self_cgroup, cgroup_root, "cpu", [&](const fs::path& group, int version) {
    found = smaller(found, version == 2 ? read_v2(group) : read_v1(group));
  });
  return found;
}

std::optional<double> cpu_quota() {
  return cpu_quota_in("/proc/self/cgroup", "/sys/fs/cgroup");
}

}  // namespace hogwild
