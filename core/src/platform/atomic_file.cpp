// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/atomic_file.hpp>

#include <cerrno>
#include <optional>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <hogwild/detail/platform/write_all.hpp>

#include "platform/aside_file.hpp"
#include "platform/file_error.hpp"
#include "platform/output_target.hpp"
#include "platform/trusted_file.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild {
namespace fs = std::filesystem;

struct atomic_file::state {
  std::string asked;
  detail::output_target target;
  std::optional<detail::aside_file> aside{};  ///< for a file
  detail::unique_fd stream{};                 ///< for anything else, from the first byte on

  state(const fs::path& path, writers allowed) : asked(path.string()), target(detail::find_output(path)) {
    if (target.kind == detail::output_target::standing::file)
      aside.emplace(target, allowed == writers::owner ? detail::trusted_modes : 0777u);
  }

  /// A FIFO is opened only when there is something to write.
  int fd() {
    if (!aside && !stream) stream = detail::open_stream(target);
    return aside ? aside->fd() : stream.get();
  }

  /// Flushes what was written to the disk: some file systems report only here that they are full. Pipes and most
  /// devices have no disk and return EINVAL.
  void flush() {
    if (::fsync(fd()) == 0 || (!aside && (errno == EINVAL || errno == EROFS || errno == EOPNOTSUPP))) return;
    detail::throw_file_error("cannot write", asked, errno);
  }
};

atomic_file::atomic_file(const fs::path& target, writers allowed) : state_(std::make_unique<state>(target, allowed)) {}

atomic_file::~atomic_file() = default;

void atomic_file::look(const fs::path& target, bool grows) {
  const detail::output_target place = detail::find_output(target);
  if (place.kind != detail::output_target::standing::file || (grows && place.replaced)) return;
  const fs::path folder = place.path.has_parent_path() ? place.path.parent_path() : fs::path(".");
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    detail::throw_file_error("cannot write", target.string(), errno);
}

bool atomic_file::takes_place() const {
  return state_->aside.has_value();
}

void atomic_file::write(std::span<const std::byte> bytes) {
  write_all(state_->fd(), bytes, state_->asked);
}

void atomic_file::commit() {
  state_->flush();
  if (state_->aside) state_->aside->put_in_place();
  state_->stream = {};  // its reader sees the end
}

fs::path atomic_file::target_of(const fs::path& path) {
  return detail::behind_links(path);
}

fs::path atomic_file::next_of(const fs::path& previous) {
  return previous.string() + ".next";
}

void atomic_file::commit_keeping(const fs::path& previous) {
  if (!takes_place())
    throw input_error("cannot write " + state_->asked +
                      ": it is no file, so that no previous one can be kept; name a file");
  state_->flush();
  const fs::path& target = state_->target.path;
  // The old file gets a second name first. Renaming it to `previous` at once would be simpler, but if the old file is
  // torn and `previous` the good one, a kill between the two renames would leave no good file.
  const fs::path second = next_of(previous);
  ::unlink(second.c_str());  // left by a killed writer
  const bool kept = ::link(target.c_str(), second.c_str()) == 0;
  if (!kept && errno != ENOENT) {
    // The file system has no hard links.
    if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK) {
      detail::throw_file_error("cannot keep the previous", target.string(), errno);
    }
    detail::rename_over(target, previous);
  }
  try {
    state_->aside->put_in_place();
    if (!kept) return;
    detail::rename_over(second, previous);
    detail::sync_folder_of(target);
  } catch (...) {
    if (kept) ::unlink(second.c_str());
    throw;
  }
}

}  // namespace hogwild
