// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace hogwild {

/// A file that appears whole or not at all: written aside in the same folder under a name of its own, flushed to the
/// disk, then renamed over the target. Until commit() returns, readers see the old file. Two writers of one target do
/// not disturb each other; the last to commit wins. One thread at a time may use one object.
///
/// What a killed writer leaves aside ("NAME.XXXXXX.aside") is removed by a later writer of the same target, once it is
/// a minute old and no living process holds it.
class atomic_file {
 public:
  /// Starts the file aside. Throws input_error where the folder is missing or closed to this user, resource_error where
  /// the system has no room. The finished file has the permissions 0644.
  explicit atomic_file(std::filesystem::path target);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  /// Removes what was written aside unless commit() came to its end.
  ~atomic_file();

  /// Appends. Throws resource_error where the disk is full.
  void write(std::span<const std::byte> bytes);

  /// Puts the file in the target's place; call once.
  void commit();
  /// The same, and the file that stood there goes on under the name `previous` (in the same folder). `previous` gives
  /// way only after the new file is in its place on the disk: at every instant one of the two names holds a whole file.
  /// Until then the old file has the name next_of(previous), too; a killed writer may leave it there.
  void commit_keeping(const std::filesystem::path& previous);
  static std::filesystem::path next_of(const std::filesystem::path& previous);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace hogwild
