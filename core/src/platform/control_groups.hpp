// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace hogwild::detail {

/// Calls visit(folder) for a group and each of its ancestors, up to the mount. Inside a container the listed path may
/// not exist below the mount, whose root is then the container's own group. For a path that leaves the mount ("/../x"),
/// too, only the root is visited.
template <class Visit>
void for_groups_upwards(const std::filesystem::path& mount, const std::string& listed, const Visit& visit) {
  visit(mount);
  std::filesystem::path group = std::filesystem::path(listed).relative_path().lexically_normal();
  if (group.empty() || *group.begin() == "..") return;
  for (; !group.empty(); group = group.parent_path()) visit(mount / group);
}

/// Calls visit(folder, version), with version 1 or 2, for every control group that may limit this process by the
/// controller of that name. `list` has the form of /proc/self/cgroup, `root` that of /sys/fs/cgroup.
template <class Visit>
void for_control_groups(const std::filesystem::path& list, const std::filesystem::path& root,
                        std::string_view controller, const Visit& visit) {
  const auto names_it = [&](const std::string& controllers) {
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');) {
      if (name == controller) return true;
    }
    return false;
  };
  std::ifstream lines(list);
  for (std::string line; std::getline(lines, line);) {  // "hierarchy:controllers:path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    const auto version = [&](int number) {
      return [&visit, number](const std::filesystem::path& folder) { visit(folder, number); };
    };
    if (controllers.empty()) {
      for_groups_upwards(root, path, version(2));
      for_groups_upwards(root / "unified", path, version(2));  // for v1 and v2 side by side
    } else if (names_it(controllers)) {
      for_groups_upwards(root / controllers, path, version(1));
      for_groups_upwards(root / controller, path, version(1));
    }
  }
}

}  // namespace hogwild::detail
