// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/atomic_file.hpp>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_error.hpp"
#include "unique_fd.hpp"

namespace hogwild {
namespace fs = std::filesystem;
namespace {

constexpr const char* aside_ending = ".aside";

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

bool is_aside_of(const fs::path& target, const std::string& name) {
  const std::string begin = target.filename().string() + ".";
  return name.size() == begin.size() + 6 + std::string(aside_ending).size() && name.starts_with(begin) &&
         name.ends_with(aside_ending);
}

/// Removes what killed writers of `target` left. A living writer holds a lock on its file; the minute is for the moment
/// between making the file and locking it.
void sweep(const fs::path& target) {
  std::error_code ignored;
  const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(1);
  for (const auto& entry : fs::directory_iterator(folder_of(target), ignored)) {
    if (!is_aside_of(target, entry.path().filename().string())) continue;
    const auto written = entry.last_write_time(ignored);
    if (ignored || written > old) continue;
    const detail::unique_fd fd(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
}

void sync_folder(const fs::path& target) {
  const fs::path folder = folder_of(target);
  const detail::unique_fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems have no flush for folders and say EINVAL; they order renames by themselves.
  if (!fd || (::fsync(fd.get()) != 0 && errno != EINVAL)) {
    detail::throw_file_error("cannot flush the folder", folder.string(), errno);
  }
}

void rename_over(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) detail::throw_file_error("cannot write", to.string(), errno);
}

}  // namespace

struct atomic_file::state {
  fs::path target, aside;
  detail::unique_fd fd;

  /// What was written is on the disk, not only in memory.
  void flush() {
    // Some file systems report a full disk only here.
    if (::fsync(fd.get()) != 0) detail::throw_file_error("cannot write", target.string(), errno);
  }
  void put_in_place() {
    rename_over(aside, target);
    aside.clear();
    sync_folder(target);
  }
};

atomic_file::atomic_file(fs::path target) : state_(std::make_unique<state>()) {
  state_->target = std::move(target);
  std::error_code ignored;
  if (!state_->target.has_filename() || fs::is_directory(state_->target, ignored)) {
    throw input_error("cannot write " + state_->target.string() + ": it is a folder; name a file");
  }
  sweep(state_->target);
  std::string name = state_->target.string() + ".XXXXXX" + aside_ending;
  state_->fd =
      detail::unique_fd(::mkostemps(name.data(), static_cast<int>(std::string(aside_ending).size()), O_CLOEXEC));
  if (!state_->fd) detail::throw_file_error("cannot write", state_->target.string(), errno);
  state_->aside = name;
  ::flock(state_->fd.get(), LOCK_EX | LOCK_NB);  // where locks are not to be had, the minute in sweep() is the guard
  if (::fchmod(state_->fd.get(), 0644) != 0) {
    const int number = errno;
    ::unlink(name.c_str());
    detail::throw_file_error("cannot write", state_->target.string(), number);
  }
}

atomic_file::~atomic_file() {
  if (!state_->aside.empty()) ::unlink(state_->aside.c_str());
}

void atomic_file::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(state_->fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) detail::throw_file_error("cannot write", state_->target.string(), errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void atomic_file::commit() {
  state_->flush();
  state_->put_in_place();
}

fs::path atomic_file::next_of(const fs::path& previous) {
  return previous.string() + ".next";
}

void atomic_file::commit_keeping(const fs::path& previous) {
  state_->flush();
  // The old file gets a second name first. Renaming it to `previous` at once would be simpler, but where the old file
  // is torn and `previous` the good one, a kill between the two renames would leave nothing good.
  const fs::path second = next_of(previous);
  ::unlink(second.c_str());  // a killed writer's
  const bool kept = ::link(state_->target.c_str(), second.c_str()) == 0;
  if (!kept && errno != ENOENT) {
    // A file system without hard links.
    if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK) {
      detail::throw_file_error("cannot keep the previous", state_->target.string(), errno);
    }
    rename_over(state_->target, previous);
  }
  try {
    state_->put_in_place();
    if (!kept) return;
    rename_over(second, previous);
    sync_folder(state_->target);
  } catch (...) {
    if (kept) ::unlink(second.c_str());
    throw;
  }
}

}  // namespace hogwild
