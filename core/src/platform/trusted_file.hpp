// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

// A file is trusted if only this process's effective user and root can change or replace it: it belongs to one of them,
// neither its group nor others may write to it (access lists show in the mode of the group), and each link on its path
// belongs to one of them. docs/security.md says which files must be trusted.

/// An opened regular file, and facts about that very file.
struct opened_file {
  unique_fd fd{};          ///< empty if it could not be opened: then `error` says why
  int error = 0;           ///< an errno value; EINVAL if it is not a regular file
  struct ::stat state {};  ///< of the open file
  std::string fault{};     ///< why it is not trusted, as the end of a sentence "the file ..."; else empty

  bool trusted() const { return fd && fault.empty(); }
};

/// Opens a regular file, without waiting for anything. The path is followed link by link, and all facts are taken from
/// the open file, so that nobody can replace it between the check and its use. `flags` are O_RDONLY or O_RDWR; with
/// O_CREAT a missing file is made, with `mode` less the umask.
opened_file open_looking(const std::string& path, int flags = O_RDONLY, unsigned mode = 0);

/// The reason why a file of this state is not trusted, as in opened_file::fault; ignores links.
std::string distrust(const struct ::stat& state);

/// The most permissive mode of a trusted file; a mask for files that are to be trusted later.
inline constexpr unsigned trusted_modes = 0755;

/// All bytes of a file. Throws input_error if it cannot be read ("PATH: cannot be read: reason"), resource_error if it
/// does not fit into memory. Only regular files: a pipe or a device is refused rather than waited for. `distrusted`
/// becomes the reason why the file is not trusted, or empty.
std::vector<std::byte> read_whole_file(const std::string& path, std::string& distrusted);

}  // namespace hogwild::detail
