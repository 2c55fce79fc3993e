// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "support/own_mounts.hpp"

namespace hogwild::test {

/// Calls act() in a process of its own, for which `folder` is a disk of this size ("20m"). Returns the result of act(),
/// 0 to 75; 76 if it throws, or a signal ends the process; nothing if this user may not mount a disk.
template <class F>
std::optional<int> on_small_disk(const std::filesystem::path& folder, const std::string& size, const F& act) {
  constexpr int thrown = 76, not_allowed = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const bool mounted = has_own_mounts() && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                           ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
      const std::filesystem::path first = folder / "first";  // fails for a user without a number there
      const int made = mounted ? ::open(first.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
      if (made < 0) ::_exit(not_allowed);
      ::close(made);
      std::filesystem::remove(first);
      ::_exit(act());
    } catch (...) {  // this process must not go on with the tests
      ::_exit(thrown);
    }
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return thrown;
  if (WEXITSTATUS(status) == not_allowed) return std::nullopt;
  return WEXITSTATUS(status);
}

}  // namespace hogwild::test
