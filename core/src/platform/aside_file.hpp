// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include <hogwild/detail/platform/cleanup.hpp>

#include "platform/output_target.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// A file beside the one whose place it is to take: "NAME.XXXXXX.aside". It is there from the constructor on until
/// put_in_place() or the destructor; whoever is killed meanwhile leaves it to the next writer of the same target.
class aside_file {
 public:
  /// Beside target.path, a path behind all links. Has the owner and the mode of the file that it will replace, else
  /// what the umask leaves of 0666; of either only what `modes` has. Throws input_error where the folder is missing or
  /// closed to this user, resource_error where the system has no room.
  explicit aside_file(const output_target& target, unsigned modes = 0777);
  aside_file(const aside_file&) = delete;
  aside_file& operator=(const aside_file&) = delete;
  ~aside_file();

  int fd() const { return fd_.get(); }
  /// Renames it over the target, on the disk too. Throws input_error or resource_error; then the target is as before.
  void put_in_place();

 private:
  std::filesystem::path target_, name_;  ///< the name is empty once it is in its place
  unique_fd fd_;
  cleanup_handler at_once_;
};

/// Removes from a folder what killed writers of `target`, a file's name in it, have left; of all targets where that is
/// empty. A living writer holds a lock on its file.
void sweep_asides(const std::filesystem::path& folder, std::string_view target);

void rename_over(const std::filesystem::path& from, const std::filesystem::path& to);
/// Flushes the folder in which this file lies: its renames are on the disk.
void sync_folder_of(const std::filesystem::path& file);

}  // namespace hogwild::detail
