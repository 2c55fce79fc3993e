// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/temporary_folder.hpp>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hogwild/detail/platform/cleanup.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "platform/aside_file.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t folder_letters = 6;

/// Tries repeatedly, because if the process ends at once, another thread may be creating one more file.
void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  for (int tries = 0; tries < 10 && fs::exists(folder, ignored); ++tries) fs::remove_all(folder, ignored);
}

detail::unique_fd open_folder(const fs::path& folder) {
  return detail::unique_fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

bool is_locked_now(const detail::unique_fd& folder, int how) {
  while (::flock(folder.get(), how) != 0)
    if (errno != EINTR) return false;
  return true;
}

/// Only this user's folders, since only their owner may remove them.
void sweep(const fs::path& place, const std::string& begin) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (fs::directory_iterator at(place, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(begin) && name.size() == begin.size() + folder_letters) left.push_back(at->path());
  }
  for (const fs::path& folder : left) {
    const detail::unique_fd fd = open_folder(folder);
    struct stat found {};
    if (fd && ::fstat(fd.get(), &found) == 0 && found.st_uid == ::geteuid() && is_locked_now(fd, LOCK_EX | LOCK_NB))
      remove_folder(folder);
  }
}

fs::path place_of_temporary_files(const std::string& otherwise) {
  const char* const given = std::getenv("TMPDIR");
  const fs::path place = given != nullptr && *given != '\0' ? given : "/tmp";
  std::error_code failure;
  if (fs::is_directory(place, failure)) return place;
  throw resource_error("there is no folder " + detail::quoted_path(place.string()) + " for temporary files" +
                       (given != nullptr ? ", which TMPDIR names" : "") + "; make it, set TMPDIR to another one" +
                       otherwise);
}

}  // namespace

struct temporary_folder::state {
  fs::path path{};
  detail::unique_fd lock{};  ///< held as long as this object lives
  cleanup_handler at_once{};
};

temporary_folder::temporary_folder(const std::string& begin, const std::string& otherwise)
    : state_(std::make_unique<state>()) {
  const fs::path place = place_of_temporary_files(otherwise);
  sweep(place, begin);
  for (;;) {
    std::string name = (place / begin).string() + std::string(folder_letters, 'X');
    const auto make = [&] {
      if (::mkdtemp(name.data()) == nullptr)
        throw resource_error("cannot make the folder " + name + ": " + std::generic_category().message(errno) +
                             "; set TMPDIR to a folder that this user may write" + otherwise);
      state_->path = name;
    };
    state_->at_once = cleanup_handler::of_what(make, [path = &state_->path] { remove_folder(*path); });
    state_->lock = open_folder(state_->path);
    if (state_->lock) is_locked_now(state_->lock, LOCK_EX);
    // Before it was opened and locked, another process may have taken it for a dead one's.
    std::error_code ignored;
    if (fs::exists(state_->path, ignored)) return;
  }
}

temporary_folder::~temporary_folder() {
  remove();
}

const fs::path& temporary_folder::path() const {
  return state_->path;
}

void temporary_folder::remove() const {
  remove_folder(state_->path);
}

void remove_left_asides(const fs::path& folder) {
  detail::sweep_asides(folder, "");
}

}  // namespace hogwild
