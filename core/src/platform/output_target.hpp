// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include <sys/stat.h>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// The target of an output.
struct output_target {
  enum class standing {
    file,       ///< a regular file, or nothing: a new file replaces it
    stream,     ///< a device or a FIFO, which is written in place
    descriptor  ///< an open descriptor of this process (/dev/stdout, /dev/fd/N): written from its current position
  };
  standing kind = standing::file;
  std::filesystem::path path{};           ///< with all links resolved; for a stream the path that was asked for
  int descriptor = -1;                    ///< for kind `descriptor`
  std::optional<struct stat> replaced{};  ///< the existing file
};

/// Resolves the links of a path, whose end need not exist; an entry that stands for a descriptor of this process does
/// not count as a link. Throws input_error for a loop.
std::filesystem::path behind_links(const std::filesystem::path& asked);

/// Finds out what `asked` leads to, and changes nothing. Throws input_error for a folder, a loop of links, a socket,
/// and anything that this user may not write; resource_error for a closed descriptor.
output_target find_output(const std::filesystem::path& asked);

/// Opens a target that is not a file for writing, without changing its contents; a FIFO waits for its reader. Throws as
/// find_output() does.
unique_fd open_stream(const output_target& target);

}  // namespace hogwild::detail
