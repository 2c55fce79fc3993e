// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <hogwild/detail/platform/cleanup.hpp>

#include "platform/output_target.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// A temporary file beside the one that it will replace: "NAME.XXXXXX.aside". It exists from the constructor until
/// put_in_place() or the destructor; if the process is killed meanwhile, the next writer of the same target removes it.
class aside_file {
 public:
  /// Made beside target.path, in which links have been resolved. Its owner and mode are those of the file that it will
  /// replace, else the mode is 0666 less the umask; `modes` masks either. Throws input_error if the folder is missing
  /// or closed to this user, resource_error if the system has no room.
  explicit aside_file(const output_target& target, unsigned modes = 0777);
  aside_file(const aside_file&) = delete;
  aside_file& operator=(const aside_file&) = delete;
  ~aside_file();

  int fd() const { return fd_.get(); }
  /// Renames it over the target, and flushes that to the disk. Throws input_error or resource_error; the target is then
  /// as before.
  void put_in_place();

 private:
  std::filesystem::path target_, name_;  ///< the name is empty once the file is in place
  unique_fd fd_;
  cleanup_handler at_once_;
};

/// A new name for a temporary file beside `target`, as aside_file makes it, for other writers.
std::string aside_name(const std::filesystem::path& target);
/// Locks a new file. False if another process locked it before, took it for a dead writer's and removed it. On file
/// systems without locks nobody removes such files.
bool lock_new(const unique_fd& fd);

/// Removes the files that killed writers of `target`, the name of a file in this folder, have left; for all targets if
/// `target` is empty. A living writer holds a lock on its file.
void sweep_asides(const std::filesystem::path& folder, std::string_view target);

void rename_over(const std::filesystem::path& from, const std::filesystem::path& to);
/// Flushes the folder of this file, so that its renames are on the disk.
void sync_folder_of(const std::filesystem::path& file);

/// An unnamed file in this folder: it vanishes with its last user, however that one ends. Empty if the folder does not
/// support this; errno says why.
unique_fd open_nameless(const std::filesystem::path& folder);

}  // namespace hogwild::detail
