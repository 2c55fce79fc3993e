// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <string>

namespace hogwild::test {

/// Gives this process mounts of its own. Returns false if the user may not have them.
inline bool has_own_mounts() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWNS) == 0) return true;
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  // A user without a number in the namespace cannot create files.
  const auto say = [](const char* file, const std::string& text) {
    const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
    const bool taken = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (fd >= 0) ::close(fd);
    return taken;
  };
  return say("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") && say("/proc/self/setgroups", "deny") &&
         say("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
}

}  // namespace hogwild::test
