// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/write_all.hpp>

#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/file_error.hpp"

namespace hogwild {
namespace {

/// Only regular files have a limit.
void require_room(int descriptor, std::size_t bytes, const std::string& name) {
  struct ::stat state {};
  if (::fstat(descriptor, &state) != 0 || !S_ISREG(state.st_mode)) return;
  const bool appends = (::fcntl(descriptor, F_GETFL) & O_APPEND) != 0;
  const auto begin = appends ? state.st_size : ::lseek(descriptor, 0, SEEK_CUR);
  detail::require_file_size("cannot write " + name + ": it", static_cast<std::uint64_t>(begin) + bytes);
}

/// The creator of a pipe or a terminal may have made it non-blocking.
bool wait_for_room(int descriptor) {
  pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return ::poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

void write_all(int descriptor, std::span<const std::byte> bytes, const std::string& name) {
  require_room(descriptor, bytes.size(), name);
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN && wait_for_room(descriptor)) continue;
    detail::throw_file_error("cannot write", name, n < 0 ? errno : ENOSPC);
  }
}

}  // namespace hogwild
