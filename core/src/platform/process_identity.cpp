// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/process_identity.hpp>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <string_view>

#include <unistd.h>
#include <xxhash.h>

#include <hogwild/error.hpp>

#include "platform/proc_stat.hpp"

namespace hogwild {
namespace {

using detail::proc_answer;
using detail::read_small_file;

proc_answer read_stat(pid_t pid) {
  return detail::read_proc_stat("/proc/" + std::to_string(pid) + "/stat");
}

bool for_want_of_room() {
  return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

/// Nothing if no descriptor is left to read it.
std::optional<std::uint64_t> boot_hash() {
  static std::atomic<std::uint64_t> known{0};
  if (const std::uint64_t hash = known.load(); hash != 0) return hash;
  const auto id = read_small_file("/proc/sys/kernel/random/boot_id");
  if (!id && for_want_of_room()) return {};
  const std::string text = id.value_or("");
  const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
  known = hash;
  return hash;
}

std::uint64_t ticks_of(const std::string& text) {
  constexpr std::string_view name = "boottime";
  std::int64_t seconds = 0, nanoseconds = 0;
  std::size_t at = text.find(name);
  if (at == std::string::npos) return 0;
  at += name.size();
  for (std::int64_t* const number : {&seconds, &nanoseconds}) {
    at = text.find_first_not_of(' ', at);
    if (at == std::string::npos) return 0;
    const auto end = std::from_chars(text.data() + at, text.data() + text.size(), *number).ptr;
    at = static_cast<std::size_t>(end - text.data());
  }
  const std::int64_t ticks_a_second = ::sysconf(_SC_CLK_TCK);
  // Unsigned, so that a negative offset is subtracted as well.
  return static_cast<std::uint64_t>(seconds * ticks_a_second + nanoseconds / (1'000'000'000 / ticks_a_second));
}

/// The number of ticks by which a process's start is later in this time namespace than in the machine's first one.
/// Looked up once: a program is not moved to another namespace while it runs. Nothing if no descriptor is left to read
/// it.
std::optional<std::uint64_t> ticks_ahead() {
  static std::atomic<std::uint64_t> known_ticks{0};
  static std::atomic<bool> is_known{false};
  if (is_known.load()) return known_ticks.load();
  const auto text = read_small_file("/proc/self/timens_offsets");
  if (!text && for_want_of_room()) return {};
  const std::uint64_t ticks = ticks_of(text.value_or(""));  // kernels without time namespaces have none
  known_ticks = ticks;
  is_known = true;
  return ticks;
}

}  // namespace

process_identity process_identity::current() {
  // Not cached: a forked child is another process.
  if (const auto self = of(::getpid())) return *self;
  throw resource_error(
      "cannot read /proc/self/stat; mount /proc, or raise the limit on open files (ulimit -n): worker processes are "
      "told apart by it");
}

std::optional<process_identity> process_identity::of(pid_t pid) {
  if (pid <= 0) return {};
  const proc_answer seen = read_stat(pid);
  const auto boot = boot_hash();
  const auto ahead = ticks_ahead();
  if (!seen.line || !boot || !ahead) return {};
  return process_identity{.pid = pid, .start_time = seen.line->start_time - *ahead, .boot = *boot};
}

bool process_identity::same_start(std::uint64_t one, std::uint64_t other) {
  return one - other + 1 <= 2;
}

bool process_identity::is_same(const process_identity& other) const {
  return pid == other.pid && boot == other.boot && same_start(start_time, other.start_time);
}

bool process_identity::alive() const {
  if (pid <= 0) return false;
  const proc_answer seen = read_stat(pid);
  const auto here = boot_hash();
  if (seen.gone || (here && *here != boot)) return false;
  const auto ahead = seen.line ? ticks_ahead() : std::nullopt;
  if (ahead) {
    return same_start(seen.line->start_time - *ahead, start_time) && seen.line->state != 'Z' && seen.line->state != 'X';
  }
  // It could not be looked at, for instance because no descriptor is left; that does not mean that it is dead.
  return ::kill(pid, 0) == 0 || errno != ESRCH;
}

}  // namespace hogwild
