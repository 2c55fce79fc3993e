// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/thread_activity.hpp>

#include <string>

#include "proc_stat.hpp"

namespace hogwild {

std::optional<thread_activity> thread_activity::of(pid_t process, pid_t thread) {
  const std::string path = "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/stat";
  const auto line = detail::read_proc_stat(path).line;
  if (!line) return {};
  return thread_activity{.state = line->state, .cpu_ticks = line->cpu_ticks};
}

}  // namespace hogwild
