// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace hogwild {

/// A new folder among temporary files (TMPDIR, else /tmp). It is removed with its contents, even if the process ends at
/// once (run_cleanup_handlers()). A folder that a killed process has left is removed when the next one whose name has
/// the same beginning is made: a living owner holds a lock on its folder.
class temporary_folder {
 public:
  /// Its name is `begin` and six letters. Throws resource_error if there is no folder for temporary files, or none can
  /// be made there; the message ends with `otherwise`, an alternative for the user.
  temporary_folder(const std::string& begin, const std::string& otherwise);
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();

  const std::filesystem::path& path() const;
  /// Removes the folder now; the object cannot be used afterwards.
  void remove() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Removes the aside files (atomic_file) that killed writers have left in a folder of this program.
void remove_left_asides(const std::filesystem::path& folder);

}  // namespace hogwild
