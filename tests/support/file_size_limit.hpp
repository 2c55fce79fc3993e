// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

namespace hogwild::test {

/// While it lives, no file of this process grows beyond so many bytes.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit low{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &low);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;
  ~file_size_limit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace hogwild::test
