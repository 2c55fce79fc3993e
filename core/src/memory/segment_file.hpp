// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hogwild/detail/memory/segment_header.hpp>

// A segment as a file: the common part of creation, attaching and listing.

namespace hogwild::detail {

inline constexpr std::string_view segment_prefix = "hogwild-";
inline constexpr std::string_view segment_folder = "/dev/shm/";

inline std::string segment_path(const std::string& name) {
  return std::string(segment_folder) + name;
}

/// A copy of the header by pread, because touching a page of a file that is not yet allocated may raise SIGBUS. Bytes
/// beyond the end of the file are zero.
inline segment_header read_header(int fd) {
  segment_header header{};
  ssize_t got = 0;
  do got = ::pread(fd, &header, sizeof header, 0);
  while (got < 0 && errno == EINTR);
  return header;
}

/// The lock that shows that the creator lives; the system releases it when the creator ends, for whatever reason.
inline bool lock_file(int fd, int operation) {
  int rc = 0;
  do rc = ::flock(fd, operation);
  while (rc < 0 && errno == EINTR);
  return rc == 0;
}

/// True while `name` still leads to the file behind `fd`.
inline bool names_file(const std::string& name, int fd) {
  struct stat by_name {
  }, by_fd{};
  return ::lstat(segment_path(name).c_str(), &by_name) == 0 && ::fstat(fd, &by_fd) == 0 &&
         by_name.st_ino == by_fd.st_ino && by_name.st_dev == by_fd.st_dev;
}

template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, ::strnlen(field, N)};
}

}  // namespace hogwild::detail
