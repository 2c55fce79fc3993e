// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace hogwild {

/// A new folder among temporary files (TMPDIR, else /tmp). It goes with all that it holds, also where the process is
/// ended at once (run_cleanup_handlers()). What a killed process leaves goes when the next one with the same beginning
/// of a name is made: a living owner holds a lock on its folder.
class temporary_folder {
 public:
  /// Its name is `begin` and six letters. Throws resource_error where there is no folder for temporary files, or none
  /// can be made there; the sentence ends with `otherwise`, what a user can do besides.
  temporary_folder(const std::string& begin, const std::string& otherwise);
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();

  const std::filesystem::path& path() const;
  /// Goes now; the object is of no use from here on.
  void remove() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Removes from a folder of this program's own what killed writers of any file there have left aside (atomic_file).
void remove_left_asides(const std::filesystem::path& folder);

}  // namespace hogwild
