// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <sys/resource.h>

#include <hogwild/error.hpp>

namespace hogwild::detail {

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
