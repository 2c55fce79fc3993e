// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include <sys/stat.h>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// What stands where an output is to go.
struct output_target {
  enum class standing {
    file,       ///< a regular file, or nothing: a file takes its place
    stream,     ///< a device or a FIFO: it is written into
    descriptor  ///< an open descriptor of this process (/dev/stdout, /dev/fd/N): the same, from where it stands
  };
  standing kind = standing::file;
  std::filesystem::path path{};           ///< behind all links; of a stream the path that was asked for
  int descriptor = -1;                    ///< of kind `descriptor`
  std::optional<struct stat> replaced{};  ///< the file that stands there
};

/// What a path leads to through links, which need not be there; an entry that stands for a descriptor of this process
/// is no link here. Throws input_error for a loop.
std::filesystem::path behind_links(const std::filesystem::path& asked);

/// Looks what stands where `asked` leads to. Touches nothing. Throws input_error for a folder, a
/// loop of links, a socket, and what this user may not write; resource_error for a descriptor that is closed.
output_target find_output(const std::filesystem::path& asked);

/// Opens what is no file for writing, without changing what is there; a FIFO waits for its reader. Throws as
/// find_output() does.
unique_fd open_stream(const output_target& target);

}  // namespace hogwild::detail
