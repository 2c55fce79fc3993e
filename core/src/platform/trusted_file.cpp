// SPDX-License-Identifier: Apache-2.0
#include "platform/trusted_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <hogwild/detail/platform/write_all.hpp>
#include <hogwild/error.hpp>

#include "platform/file_error.hpp"

namespace hogwild::detail {
namespace {

bool is_own_or_root(uid_t owner) {
  return owner == ::geteuid() || owner == 0;
}

std::string user_text(uid_t id) {
  return "user " + std::to_string(id);
}

/// The rest of a path, the next name last.
class names_to_go {
 public:
  void put(std::string_view path) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      if (end > at) names.emplace_back(path.substr(at, end - at));
      at = end + 1;
    }
    names_.insert(names_.end(), names.rbegin(), names.rend());
  }
  bool empty() const { return names_.empty(); }
  std::string take() {
    std::string name = std::move(names_.back());
    names_.pop_back();
    return name;
  }

 private:
  std::vector<std::string> names_;
};

/// Follows a path to a file, name by name, and opens it.
class file_walk {
 public:
  file_walk(int flags, unsigned mode) : flags_(flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), mode_(mode) {}

  opened_file to(const std::string& path) && {
    if (path.empty() || path.find('\0') != path.npos) return failed(ENOENT);
    begin(path);
    while (file_.error == 0 && !file_.fd && !left_.empty()) step();
    if (file_.error == 0 && !file_.fd) return failed(EINVAL);  // the path ends at a folder
    if (file_.fault.empty() && file_.fd) file_.fault = distrust(file_.state);
    return std::move(file_);
  }

 private:
  static constexpr int most_links = 40;  // the kernel's own limit

  void begin(std::string_view path) {
    if (path.starts_with('/') || !folder_)
      folder_ = unique_fd(::open(path.starts_with('/') ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder_) file_.error = errno;
    left_.put(path);
  }

  void step() {
    const std::string name = left_.take();
    // First as a folder: only that makes an automounter mount it.
    if (enter(name, O_NOFOLLOW)) return;
    const unique_fd next(::openat(folder_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next && errno == ENOENT && (flags_ & O_CREAT) != 0 && left_.empty()) return make(name);
    struct ::stat state {};
    if (!next || ::fstat(next.get(), &state) != 0) return give_up(errno);
    if (S_ISLNK(state.st_mode)) return follow(name, next, state);
    if (!left_.empty())
      give_up(ENOTDIR);
    else if (!S_ISREG(state.st_mode))
      give_up(EINVAL);  // opening a device may have effects
    else
      open(name, O_NOFOLLOW);
  }

  void follow(const std::string& name, const unique_fd& link, const struct ::stat& state) {
    if (++links_ > most_links) return give_up(ELOOP);
    std::array<char, 4096> target{};
    const ssize_t length = ::readlinkat(link.get(), "", target.data(), target.size());
    if (length < 0 || length == std::ssize(target)) return give_up(length < 0 ? errno : ENAMETOOLONG);
    if (!is_own_or_root(state.st_uid) && file_.fault.empty())
      file_.fault = "is reached through the link " + name + " of " + user_text(state.st_uid);
    struct ::statfs system {};
    if (::fstatfs(folder_.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC) return jump(name);
    begin(std::string_view(target.data(), static_cast<std::size_t>(length)));
  }

  /// Follows a link of the kernel, such as /proc/self/fd/3: it leads to a file, whatever its text is.
  void jump(const std::string& name) {
    if (left_.empty()) return open(name, 0);
    if (!enter(name, 0)) give_up(errno);
  }

  bool enter(const std::string& name, int how) {
    unique_fd next(::openat(folder_.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | how));
    if (!next) return false;
    folder_ = std::move(next);
    return true;
  }

  void make(const std::string& name) {
    unique_fd fd(::openat(folder_.get(), name.c_str(), flags_ | O_EXCL | O_NOFOLLOW, mode_));
    if (fd) return look(std::move(fd));
    if (errno != EEXIST || ++links_ > most_links) return give_up(errno);
    left_.put(name);  // another process has made it meanwhile
  }

  void open(const std::string& name, int how) {
    unique_fd fd(::openat(folder_.get(), name.c_str(), (flags_ & ~O_CREAT) | how));
    if (!fd) return give_up(errno);
    look(std::move(fd));
  }

  void look(unique_fd fd) {
    if (::fstat(fd.get(), &file_.state) != 0) return give_up(errno);
    if (!S_ISREG(file_.state.st_mode)) return give_up(EINVAL);
    file_.fd = std::move(fd);
  }

  void give_up(int number) { file_.error = number; }
  static opened_file failed(int number) {
    opened_file none;
    none.error = number;
    return none;
  }

  int flags_;
  unsigned mode_;
  int links_ = 0;
  unique_fd folder_;
  names_to_go left_;
  opened_file file_;
};

}  // namespace

std::string distrust(const struct ::stat& state) {
  if (!is_own_or_root(state.st_uid)) return "belongs to " + user_text(state.st_uid) + ", who can change it";
  if ((state.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  std::array<char, 8> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(state.st_mode & 07777u));
  return std::string("may be written by ") + ((state.st_mode & S_IWOTH) != 0 ? "everybody" : "its group") +
         " (its mode is " + mode.data() + ")";
}

opened_file open_looking(const std::string& path, int flags, unsigned mode) {
  return file_walk(flags, mode).to(path);
}

int open_own_file(const std::string& path, const std::string& what) {
  const opened_file file = open_looking(path, O_RDWR | O_CREAT | O_APPEND, 0666 & trusted_modes);
  if (!file.fd && file.error == EINVAL) throw input_error(what + " is no regular file: name another");
  if (!file.fd) throw input_error(what + " cannot be opened: " + std::generic_category().message(file.error));
  if (!file.fault.empty())
    throw input_error(what + " " + file.fault + "; name another, or make a copy of your own (chmod go-w)");
  const int fd = ::fcntl(file.fd.get(), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) throw resource_error(what + " cannot be opened: " + std::generic_category().message(errno));
  return fd;
}

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
