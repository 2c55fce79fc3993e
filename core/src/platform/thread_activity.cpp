// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/thread_activity.hpp>

#include <filesystem>
#include <string>
#include <system_error>

#include "platform/proc_stat.hpp"

namespace hogwild {
namespace {

std::string task_folder(pid_t process) {
  return "/proc/" + std::to_string(process) + "/task/";
}

}  // namespace

std::optional<thread_activity> thread_activity::of(pid_t process, pid_t thread) {
  const auto line = detail::read_proc_stat(task_folder(process) + std::to_string(thread) + "/stat").line;
  if (!line) return {};
  return thread_activity{.state = line->state, .cpu_ticks = line->cpu_ticks};
}

std::optional<process_activity> process_activity::of(pid_t process, pid_t except) {
  const std::string left_aside = std::to_string(except);
  process_activity sum;
  std::error_code fault;
  for (std::filesystem::directory_iterator task(task_folder(process), fault), end; !fault && task != end;
       task.increment(fault)) {
    if (task->path().filename() == left_aside) continue;
    const detail::proc_answer seen = detail::read_proc_stat(task->path().string() + "/stat");
    if (seen.gone) continue;
    if (!seen.line) return {};
    sum.cpu_ticks += seen.line->cpu_ticks;
    sum.runs |= seen.line->state == 'R';
    sum.waits_for_disk |= seen.line->state == 'D';
  }
  if (fault) return {};
  return sum;
}

}  // namespace hogwild
