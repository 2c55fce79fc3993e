// SPDX-License-Identifier: Apache-2.0
#include "platform/nameless_file.hpp"

#include <fcntl.h>
#include <stdlib.h>

#include <cerrno>
#include <string>

namespace hogwild::detail {

unique_fd open_nameless(const std::filesystem::path& folder) {
  unique_fd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  // File systems that do not support unnamed files, some of them network ones, return one of these.
  if (fd || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  std::string name = (folder / ".hogwild-XXXXXX").string();
  fd = unique_fd(::mkostemp(name.data(), O_CLOEXEC));
  if (fd) ::unlink(name.c_str());
  return fd;
}

}  // namespace hogwild::detail
