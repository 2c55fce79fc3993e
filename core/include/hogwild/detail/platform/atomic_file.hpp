// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace hogwild {

/// The writer of every output. A file appears whole or not at all: written aside in the same folder under a name of its
/// own, flushed to the disk, then renamed over the target. Until commit() returns, readers see the old file. Two
/// writers of one target do not disturb each other; the last to commit wins. One thread at a time may use one object.
///
/// A target that is a link, also one to nothing, means what it leads to, and the link stays. What is no file keeps its
/// place and is written into: a device, a FIFO (opened by the first write(), which waits for a reader), an open
/// descriptor of this process (/dev/stdout, /dev/fd/N: from where it stands). There is no aside then, and what was
/// written stays written.
///
/// A new file has the mode 0666 less the umask. One that replaces another has that one's mode, and its owner as far as
/// this user may give it away.
///
/// What a killed writer leaves aside ("NAME.XXXXXX.aside") is removed by a later writer of the same target, once it is
/// a minute old and no living process holds it.
class atomic_file {
 public:
  /// Who may write to the file once it is there. What is believed when it is read again is the owner's alone.
  enum class writers { as_the_umask_says, owner };

  /// Starts the file aside; of what is no file only looks whether it may be written. Throws input_error where the
  /// target is a folder, a socket, a loop of links or not writable, and where its folder is missing or closed to this
  /// user; resource_error where the system has no room, and for a descriptor that is closed.
  explicit atomic_file(const std::filesystem::path& target, writers allowed = writers::as_the_umask_says);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  /// Removes what was written aside unless commit() came to its end.
  ~atomic_file();

  /// Throws what the constructor would throw for the place `target`, and starts no file: for a look before any work.
  /// What grows where it stands, as a run record does, needs no folder that this user may write once it is there.
  static void look(const std::filesystem::path& target, bool grows = false);

  /// Whether the target is a regular file or nothing, whose place commit() takes.
  bool takes_place() const;

  /// Appends. Throws resource_error where the disk is full or the file would exceed the limit on file sizes.
  void write(std::span<const std::byte> bytes);

  /// Puts the file in the target's place, or closes what is no file; call once.
  void commit();
  /// The same, and the file that stood there goes on under the name `previous` (in the same folder). `previous` gives
  /// way only after the new file is in its place on the disk: at every instant one of the two names holds a whole file.
  /// Until then the old file has the name next_of(previous), too; a killed writer may leave it there. Throws
  /// input_error where the target is no file.
  void commit_keeping(const std::filesystem::path& previous);
  static std::filesystem::path next_of(const std::filesystem::path& previous);
  /// Where the file really lies: what `path` leads to through links. Throws input_error for a loop of them.
  static std::filesystem::path target_of(const std::filesystem::path& path);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace hogwild
