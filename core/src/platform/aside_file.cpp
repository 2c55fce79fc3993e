// SPDX-License-Identifier: Apache-2.0
#include "platform/aside_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/file_error.hpp"

namespace hogwild::detail {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view aside_ending = ".aside";
constexpr std::size_t random_letters = 6;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Whether the name is "TARGET.XXXXXX.aside"; for any target if `target` is empty.
bool is_aside_of(std::string_view target, std::string_view name) {
  constexpr std::size_t added = 1 + random_letters + aside_ending.size();
  if (name.size() <= added || !name.ends_with(aside_ending)) return false;
  const std::string_view begin = name.substr(0, name.size() - added);
  const std::string_view random = name.substr(begin.size() + 1, random_letters);
  return (target.empty() || begin == target) && name[begin.size()] == '.' &&
         std::ranges::all_of(random, [](unsigned char c) { return std::isalnum(c) != 0; });
}

}  // namespace

std::string aside_name(const fs::path& target) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::array<unsigned char, random_letters> random{};
  // If the system has no random numbers, names of several writers may collide; then the next one is tried.
  static_cast<void>(::getrandom(random.data(), random.size(), 0));
  std::string name = target.string() + ".";
  for (const unsigned char r : random) name += letters[r % letters.size()];
  return name.append(aside_ending);
}

bool lock_new(const unique_fd& fd) {
  while (::flock(fd.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat made {};
  return ::fstat(fd.get(), &made) != 0 || made.st_nlink > 0;
}

namespace {

unique_fd create_aside(const fs::path& target, unsigned mode, fs::path& name, cleanup_handler& at_once) {
  for (int attempts = 0;; ++attempts) {
    name = aside_name(target);
    at_once = cleanup_handler([name] { ::unlink(name.c_str()); });
    unique_fd fd(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (fd && lock_new(fd)) return fd;
    if (!fd && (errno != EEXIST || attempts == 100)) throw_file_error("cannot write", target.string(), errno);
  }
}

/// Gives the new file the owner and the mode of the file that it replaces, as far as this user may. If it cannot be
/// given to the group, the group gets no permissions: the mode meant the members of another one.
bool take_over(int fd, const struct stat& replaced, unsigned modes) {
  mode_t mode = replaced.st_mode & 0777 & modes;
  const bool owned = ::fchown(fd, replaced.st_uid, replaced.st_gid) == 0;
  if (!owned && ::fchown(fd, static_cast<uid_t>(-1), replaced.st_gid) != 0) mode &= ~static_cast<mode_t>(S_IRWXG);
  return ::fchmod(fd, mode) == 0;
}

}  // namespace

void sweep_asides(const fs::path& folder, std::string_view target) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (!is_aside_of(target, at->path().filename().string())) continue;
    const unique_fd fd(::open(at->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(at->path().c_str());
  }
}

aside_file::aside_file(const output_target& target, unsigned modes) : target_(target.path) {
  sweep_asides(folder_of(target_), target_.filename().string());
  // Nobody else reads it before it has its mode. open(2) applies the umask; querying the umask would change it.
  fd_ = create_aside(target_, target.replaced ? 0600 : 0666 & modes, name_, at_once_);
  if (!target.replaced || take_over(fd_.get(), *target.replaced, modes)) return;
  const int number = errno;
  ::unlink(name_.c_str());
  throw_file_error("cannot write", target_.string(), number);
}

aside_file::~aside_file() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

void aside_file::put_in_place() {
  rename_over(name_, target_);
  at_once_ = {};
  name_.clear();
  sync_folder_of(target_);
}

void rename_over(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw_file_error("cannot write", to.string(), errno);
}

void sync_folder_of(const fs::path& file) {
  const fs::path folder = folder_of(file);
  const unique_fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot flush folders and return EINVAL; they order renames by themselves.
  if (!fd || (::fsync(fd.get()) != 0 && errno != EINVAL)) {
    throw_file_error("cannot flush the folder", folder.string(), errno);
  }
}

unique_fd open_nameless(const fs::path& folder) {
  unique_fd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  // File systems that do not support unnamed files, some of them network ones, return one of these.
  if (fd || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  std::string name = (folder / ".hogwild-XXXXXX").string();
  fd = unique_fd(::mkostemp(name.data(), O_CLOEXEC));
  if (fd) ::unlink(name.c_str());
  return fd;
}

}  // namespace hogwild::detail
