// SPDX-License-Identifier: Apache-2.0
#include "platform/output_target.hpp"

#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "platform/file_error.hpp"

namespace hogwild::detail {
namespace fs = std::filesystem;
namespace {

using standing = output_target::standing;

[[noreturn]] void refuse_output(const fs::path& asked, const std::string& why) {
  throw input_error("cannot write " + asked.string() + ": " + why);
}

/// The descriptor of this process, even a closed one, that an entry such as /proc/self/fd/1 stands for. Such a link
/// does not always hold a path, and opening it again would write from the beginning of a file to which others append.
std::optional<int> own_descriptor(const fs::path& entry) {
  const std::string name = entry.filename().string(), folder = entry.parent_path().string();
  int number = 0;
  const auto [stop, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (fault != std::errc{} || stop != name.data() + name.size() || number < 0) return std::nullopt;
  struct ::statfs system {};
  if (::statfs(folder.c_str(), &system) != 0 || system.f_type != PROC_SUPER_MAGIC) return std::nullopt;
  std::error_code unknown;
  const bool own =
      fs::equivalent(folder, "/proc/self/fd", unknown) || fs::equivalent(folder, "/proc/thread-self/fd", unknown);
  return own ? std::optional(number) : std::nullopt;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void require_open_for_writing(int descriptor, const fs::path& asked) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  const bool writes = flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY;
  if (!writes) {
    throw resource_error("cannot write " + asked.string() + ": descriptor " + std::to_string(descriptor) +
                         " is closed, or open for reading only");
  }
}

void require_permission(const fs::path& path, const fs::path& asked) {
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    throw_file_error("cannot write", asked.string(), errno);
}

}  // namespace

fs::path behind_links(const fs::path& asked) {
  constexpr int most_links = 40;  // the kernel's own limit
  fs::path path = asked;
  for (int links = 0; !own_descriptor(path); ++links) {
    std::error_code none;
    const fs::path next = fs::read_symlink(path, none);
    if (none) break;
    if (links == most_links) throw_file_error("cannot follow", asked.string(), ELOOP);
    path = path.parent_path() / next;
  }
  return path;
}

output_target find_output(const fs::path& asked) {
  const fs::path path = behind_links(asked);
  if (const auto descriptor = own_descriptor(path)) {
    require_open_for_writing(*descriptor, asked);
    return {.kind = standing::descriptor, .path = asked, .descriptor = *descriptor};
  }
  struct ::stat state {
  }, named{};
  const bool stands = ::stat(asked.c_str(), &state) == 0;
  if (!stands && errno != ENOENT) throw_file_error("cannot write", asked.string(), errno);
  if (!path.has_filename() || (stands && S_ISDIR(state.st_mode))) refuse_output(asked, "it is a folder; name a file");
  if (!stands) return {.path = path};
  if (S_ISSOCK(state.st_mode))
    refuse_output(asked, "it is a socket, which cannot be opened like a file; name another place");
  require_permission(asked, asked);
  if (!S_ISREG(state.st_mode)) return {.kind = standing::stream, .path = asked};
  // A descriptor of another process, for instance, may lead to a file without a name.
  if (::lstat(path.c_str(), &named) != 0 || !same_file(state, named))
    refuse_output(asked, "the file that it leads to has no name here; name the file itself");
  return {.path = path, .replaced = state};
}

unique_fd open_stream(const output_target& target) {
  if (target.kind == standing::descriptor) {
    unique_fd fd(::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0));
    if (!fd) throw_file_error("cannot write", target.path.string(), errno);
    return fd;
  }
  int opened = -1;
  do opened = ::open(target.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  while (opened < 0 && errno == EINTR);
  unique_fd fd(opened);
  struct ::stat state {};
  if (!fd || ::fstat(fd.get(), &state) != 0) throw_file_error("cannot write", target.path.string(), errno);
  if (S_ISREG(state.st_mode)) refuse_output(target.path, "a file has taken the place of the device that stood there");
  return fd;
}

}  // namespace hogwild::detail
