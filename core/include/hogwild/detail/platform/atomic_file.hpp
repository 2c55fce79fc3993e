// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace hogwild {

/// The writer of every output. A file appears whole or not at all: it is written under a temporary name in the same
/// folder (the aside file), flushed to the disk, then renamed over the target. Until commit() returns, readers see the
/// old file. Two writers of one target do not disturb each other; the last to commit wins. One thread at a time may use
/// an object.
///
/// If the target is a link, even a dangling one, the file it leads to is written, and the link stays. A target that is
/// not a file is written in place: a device, a FIFO (opened by the first write(), which waits for a reader), an open
/// descriptor of this process (/dev/stdout, /dev/fd/N: from its current position). There is no aside file then, and
/// what was written stays written.
///
/// A new file has the mode 0666 less the umask. One that replaces another gets the other's mode, and its owner as far
/// as this user may give files away.
///
/// An aside file that a killed writer has left ("NAME.XXXXXX.aside") is removed by a later writer of the same target,
/// once it is a minute old and no living process holds it.
class atomic_file {
 public:
  /// Who may write to the finished file. Files that are trusted when they are read again can be written by their owner
  /// only.
  enum class writers { as_the_umask_says, owner };

  /// Starts the aside file; for a target that is not a file, only checks whether it may be written. Throws input_error
  /// if the target is a folder, a socket, a loop of links or not writable, or if its folder is missing or closed to
  /// this user; resource_error if the system has no room, or for a closed descriptor.
  explicit atomic_file(const std::filesystem::path& target, writers allowed = writers::as_the_umask_says);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  /// Removes the aside file unless commit() succeeded.
  ~atomic_file();

  /// Throws what the constructor would throw for `target`, and starts no file: for a check before any work. `grows`:
  /// the file is appended to in place, as a run record is; if it exists, its folder need not be writable.
  static void look(const std::filesystem::path& target, bool grows = false);

  /// Whether the target is a regular file or nothing, so that commit() replaces it.
  bool takes_place() const;

  /// Appends. Throws resource_error if the disk is full or the file would exceed the limit on file sizes.
  void write(std::span<const std::byte> bytes);

  /// Renames the file over the target, or closes a target that is not a file; call once.
  void commit();
  /// The same, but keeps the old file under the name `previous` (in the same folder). `previous` is replaced only after
  /// the new file is in its place on the disk: at every instant one of the two names is a whole file. Until then the
  /// old file also has the name next_of(previous); a killed writer may leave it there. Throws input_error if the target
  /// is not a file.
  void commit_keeping(const std::filesystem::path& previous);
  static std::filesystem::path next_of(const std::filesystem::path& previous);
  /// Where the file really is: follows the links of `path`. Throws input_error for a loop of links.
  static std::filesystem::path target_of(const std::filesystem::path& path);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace hogwild
