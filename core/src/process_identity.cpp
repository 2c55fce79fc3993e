// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/process_identity.hpp>

#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <unistd.h>
#include <xxhash.h>

#include <hogwild/core/error.hpp>

namespace hogwild {
namespace {

struct stat_line {
  char state = '\0';
  std::uint64_t start_time = 0;
};

std::string whole_file(const std::string& path) {
  // Through <<, which ends quietly where a process goes between opening and reading: iterators would throw then.
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Fields are counted from the last ')', since a program's name may hold blanks and brackets.
std::optional<stat_line> read_stat(pid_t pid) {
  const std::string text = whole_file("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return {};
  std::string_view rest = std::string_view(text).substr(name_end + 2);
  stat_line found{.state = rest.front()};
  constexpr int state_field = 3, start_time_field = 22;
  for (int field = state_field; field < start_time_field; ++field) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return {};
    rest.remove_prefix(blank + 1);
  }
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), found.start_time);
  if (parsed.ec != std::errc{}) return {};
  return found;
}

std::uint64_t boot_hash() {
  static const std::uint64_t hash = [] {
    const std::string id = whole_file("/proc/sys/kernel/random/boot_id");
    return static_cast<std::uint64_t>(XXH3_64bits(id.data(), id.size()));
  }();
  return hash;
}

}  // namespace

process_identity process_identity::current() {
  // Not kept between calls: a forked child is another process.
  if (const auto self = of(::getpid())) return *self;
  throw resource_error("cannot read /proc/self/stat; mount /proc: worker processes are told apart by it");
}

std::optional<process_identity> process_identity::of(pid_t pid) {
  if (pid <= 0) return {};
  const auto line = read_stat(pid);
  if (!line) return {};
  return process_identity{.pid = pid, .start_time = line->start_time, .boot = boot_hash()};
}

bool process_identity::alive() const {
  if (pid <= 0 || boot != boot_hash()) return false;
  const auto line = read_stat(pid);
  return line && line->start_time == start_time && line->state != 'Z' && line->state != 'X';
}

}  // namespace hogwild
