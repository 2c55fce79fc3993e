// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hogwild/detail/platform/process_identity.hpp>

// Lists the shared memory of runs on this machine, and removes what dead runs have left.

namespace hogwild {

/// A finished segment on this machine.
struct segment_info {
  std::string name;          ///< in /dev/shm
  std::uint64_t bytes = 0;   ///< mapped size
  process_identity owner{};  ///< the process that made it
  bool owner_alive = false;  ///< whether that same process still lives
  double age_seconds = 0;    ///< since it was made
  std::string model_name;    ///< the model of the run
  std::string label;         ///< the run's name for its data
  std::uint32_t uid = 0;     ///< the user who owns it
};

/// Finished segments that this user may read, ordered by name. Others may create and remove segments meanwhile.
std::vector<segment_info> list_segments();

/// Which users' segments a purge looks at.
enum class segments_of {
  everybody,  ///< all that this user may open: for root, all
  this_user
};

/// Removes every segment whose creator no longer lives, and returns their names. This includes unfinished ones once
/// they are some seconds old. Never touches one whose creator lives, even in another container that shares /dev/shm: a
/// creator holds a file lock on its segment for as long as it lives.
std::vector<std::string> purge_segments(segments_of whose = segments_of::everybody);

}  // namespace hogwild
