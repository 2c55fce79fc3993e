// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <hogwild/core/topology.hpp>

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

/// The smallest grant from the group up to the mount. Inside a container the listed path may not exist below the mount,
/// whose root is then the container's own group; a path that leaves the mount ("/../x") leaves only the root too.
template <class Read>
quota smallest_upwards(const fs::path& mount, const std::string& listed, Read read) {
  quota found = read(mount);
  fs::path group = fs::path(listed).relative_path().lexically_normal();
  if (group.empty() || *group.begin() == "..") return found;
  for (; !group.empty(); group = group.parent_path()) found = smaller(found, read(mount / group));
  return found;
}

bool lists_cpu(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

}  // namespace

std::optional<double> cpu_quota_in(const fs::path& proc_self_cgroup, const fs::path& cgroup_root) {
  quota found;
  std::ifstream list(proc_self_cgroup);
  for (std::string line; std::getline(list, line);) {  // "hierarchy:controllers:path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) {
      found = smaller(found, smallest_upwards(cgroup_root, path, read_v2));
      found = smaller(found, smallest_upwards(cgroup_root / "unified", path, read_v2));  // v1 and v2 side by side
    } else if (lists_cpu(controllers)) {
      found = smaller(found, smallest_upwards(cgroup_root / controllers, path, read_v1));
      found = smaller(found, smallest_upwards(cgroup_root / "cpu", path, read_v1));
    }
  }
  return found;
}

std::optional<double> cpu_quota() {
  return cpu_quota_in("/proc/self/cgroup", "/sys/fs/cgroup");
}

}  // namespace hogwild
