// SPDX-License-Identifier: Apache-2.0
#include "platform/proc_stat.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <hogwild/detail/platform/thread_activity.hpp>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

std::optional<std::string> read_small_file(const std::string& path) {
  const unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return {};
  std::string text;
  for (std::array<char, 1024> part;;) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {};
    if (got == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

proc_answer read_proc_stat(const std::string& path) {
  const auto text = read_small_file(path);
  // If a process ends between opening and reading, the read fails.
  if (!text) return {.gone = errno == ENOENT || errno == ESRCH};
  // Fields are counted from the last ')', because a program's name may contain blanks and brackets.
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text->size()) return {};
  std::string_view rest = std::string_view(*text).substr(name_end + 2);
  proc_stat found{.state = rest.front()};
  constexpr int state_field = 3, user_time_field = 14, system_time_field = 15, start_time_field = 22;
  for (int field = state_field; field <= start_time_field; ++field) {
    std::uint64_t number = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (field == user_time_field || field == system_time_field) found.cpu_ticks += number;
    if (field == start_time_field) found.start_time = number;
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return {};
    rest.remove_prefix(blank + 1);
  }
  return {.line = found};
}

}  // namespace hogwild::detail

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
