// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hogwild::detail {

/// A line of /proc/PID/stat or /proc/PID/task/TID/stat.
struct proc_stat {
  char state = '\0';
  std::uint64_t cpu_ticks = 0;   ///< in user and system mode
  std::uint64_t start_time = 0;  ///< clock ticks since boot, as the reader's time namespace counts them
};

/// The result of reading such a line. With neither a line nor `gone` nothing is known, for instance because no
/// descriptor was left.
struct proc_answer {
  std::optional<proc_stat> line{};
  bool gone = false;  ///< the process or thread does not exist
};

proc_answer read_proc_stat(const std::string& path);

/// The contents of a small file; nothing if it cannot be read, and errno says why.
std::optional<std::string> read_small_file(const std::string& path);

}  // namespace hogwild::detail
