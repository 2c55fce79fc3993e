// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include <sys/resource.h>

#include <hogwild/error.hpp>

namespace hogwild::detail {

/// Throws the right error for a failed system call while writing a file: resource_error if space, quota or descriptors
/// ran out or the disk failed, input_error if the path is wrong. `action` reads like "cannot write".
[[noreturn]] inline void throw_file_error(const std::string& action, const std::string& path, int number) {
  const std::string message = action + " " + path + ": " + std::generic_category().message(number);
  switch (number) {
    case ENOSPC:
    case EDQUOT:
      throw resource_error(message + "; free some space, or write elsewhere");
    case EFBIG:
      throw resource_error(message + "; files here may be no larger");
    case EBADF:
      throw resource_error(message + "; it is closed, or open for reading only");
    case EPIPE:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EIO:
      throw resource_error(message);
    case ENOENT:
    case ENOTDIR:
      throw input_error(message + "; check that the folder exists");
    case EACCES:
    case EPERM:
    case EROFS:
      throw input_error(message + "; name a place that this user may write to");
    default:
      throw input_error(message);
  }
}

/// The same for reading, or looking at, a file or folder that exists or should.
[[noreturn]] inline void throw_unreadable(const std::string& name, int number) {
  const std::string message = name + ": cannot be read: " + std::generic_category().message(number);
  switch (number) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EIO:
      throw resource_error(message);
    default:
      throw input_error(message);
  }
}

/// Throws resource_error if a file of `bytes` exceeds this process's limit on file sizes. Call it before such a file is
/// written or enlarged: the attempt would raise SIGXFSZ, which ends a program that does not expect it. `name` begins
/// the sentence.
inline void require_file_size(const std::string& name, std::uint64_t bytes) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return;
  throw resource_error(name + " needs " + std::to_string(bytes) + " bytes, but files may have only " +
                       std::to_string(limit.rlim_cur) + " here; raise the limit (ulimit -f)");
}

}  // namespace hogwild::detail
