// SPDX-License-Identifier: Apache-2.0
#include "platform/whole_file.hpp"

#include <cerrno>
#include <new>

#include <unistd.h>

#include "platform/file_error.hpp"
#include "platform/trusted_file.hpp"

namespace hogwild::detail {
std::vector<std::byte> read_whole_file(const std::string& path, std::string& distrusted) {
  const opened_file file = open_looking(path);
  if (!file.fd && file.error == EINVAL) throw input_error(path + ": cannot be read: it is not a regular file");
  if (!file.fd) throw_unreadable(path, file.error);
  distrusted = file.fault;
  const struct ::stat& facts = file.state;
  std::vector<std::byte> bytes;
  try {
    bytes.resize(static_cast<std::size_t>(facts.st_size));
  } catch (const std::bad_alloc&) {
    throw resource_error(path + ": cannot be read: its " + std::to_string(facts.st_size) +
                         " bytes do not fit into memory");
  }
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(file.fd.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_unreadable(path, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace hogwild::detail
