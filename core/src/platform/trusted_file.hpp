// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <fcntl.h>
#include <sys/stat.h>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

// A file is trusted where nobody but this process's effective user and root can change it or choose it: it belongs to
// one of them, neither its group nor others may write to it (access lists show in the mode of the group), and each link
// on the way to it belongs to one of them. docs/security.md says which files have to be.

/// A regular file that was opened, and what was found out about that very file.
struct opened_file {
  unique_fd fd{};          ///< none where it could not be opened: then `error` says why
  int error = 0;           ///< as errno has it; EINVAL for what is no regular file
  struct ::stat state {};  ///< of the open file
  std::string fault{};     ///< why it is not trusted, as the end of a sentence "the file ..."; else empty

  bool trusted() const { return fd && fault.empty(); }
};

/// Opens a regular file, without waiting for anything. The way is walked link by link, and everything is asked of the
/// open file, so that nobody can put another one in its place between a look and its use. `flags` are O_RDONLY or
/// O_RDWR; with O_CREAT a file that is not there is made, with `mode` less the umask.
opened_file open_looking(const std::string& path, int flags = O_RDONLY, unsigned mode = 0);

/// Why a file of this state is not trusted, as opened_file::fault; links aside.
std::string distrust(const struct ::stat& state);

/// The modes that a trusted file has at most; a mask for files that are to be trusted later.
inline constexpr unsigned trusted_modes = 0755;

}  // namespace hogwild::detail
