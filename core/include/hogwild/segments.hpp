// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hogwild/detail/platform/process_identity.hpp>

// The shared memory of runs on this machine: what stands, and how what dead runs have left is removed.

namespace hogwild {

/// A finished segment that stands on this machine.
struct segment_info {
  std::string name;          ///< in /dev/shm
  std::uint64_t bytes = 0;   ///< that are mapped
  process_identity owner{};  ///< the process that made it
  bool owner_alive = false;  ///< and is the same process still
  double age_seconds = 0;    ///< since it was made
  std::string model_name;    ///< of the run
  std::string label;         ///< what the run called its data
  std::uint32_t uid = 0;     ///< whose it is
};

/// Finished segments that this user may read, by name. Others may create and remove segments meanwhile.
std::vector<segment_info> list_segments();

/// Whose segments a purge looks at.
enum class segments_of {
  everybody,  ///< as far as this user may open them: all, for root
  this_user
};

/// Removes every segment whose creator no longer lives, half-made ones included once they are some seconds old, and
/// returns their names. Never touches one whose creator lives, even in another container that shares /dev/shm: a
/// creator holds a file lock on its segment for as long as it lives.
std::vector<std::string> purge_segments(segments_of whose = segments_of::everybody);

}  // namespace hogwild
