// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

namespace hogwild::test {

/// Keeps the segment of a process that has died, or is about to, from being purged by a `hogwild train` of another
/// test. Waits until the process has died.
class kept_segment {
 public:
  explicit kept_segment(const std::string& name) : fd_(::open(("/dev/shm/" + name).c_str(), O_RDONLY | O_CLOEXEC)) {
    ::flock(fd_, LOCK_SH);
  }
  kept_segment(const kept_segment&) = delete;
  kept_segment& operator=(const kept_segment&) = delete;
  ~kept_segment() { ::close(fd_); }

 private:
  int fd_;
};

}  // namespace hogwild::test
