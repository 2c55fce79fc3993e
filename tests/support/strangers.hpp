// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace hogwild::test {

/// A user who is neither root nor likely to run tests.
inline constexpr uid_t stranger = 65533;

/// Whether this process may give files away, as root may.
inline bool may_give_away() {
  return ::geteuid() == 0;
}

inline void require_done(int code, const std::filesystem::path& file) {
  if (code != 0) throw std::system_error(errno, std::generic_category(), file.string());
}

/// Lets others change a file: a stranger becomes its owner if this process may give it away; otherwise everybody may
/// write to it. For a link this applies to the link itself, and needs may_give_away().
inline void let_others_change(const std::filesystem::path& file) {
  if (may_give_away())
    require_done(::lchown(file.c_str(), stranger, static_cast<gid_t>(-1)), file);
  else
    require_done(::chmod(file.c_str(), 0666), file);
}

}  // namespace hogwild::test
