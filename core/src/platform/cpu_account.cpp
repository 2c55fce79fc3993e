// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/cpu_load.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

#include "platform/control_groups.hpp"

namespace hogwild::detail {
namespace {

using std::chrono::nanoseconds;
namespace fs = std::filesystem;

/// The numbers of a line: user, nice, system, idle, iowait, irq, softirq, steal. Guests' time is part of user.
std::optional<cpu_account::of_machine> cpu_account_in(std::istringstream& numbers) {
  std::array<std::int64_t, 8> ticks{};
  std::size_t known = 0;
  while (known < ticks.size() && numbers >> ticks[known]) ++known;
  if (known < 4) return {};  // older kernels have no more
  std::int64_t sum = 0;
  for (const std::int64_t t : ticks) sum += t;
  static const double tick = 1e9 / static_cast<double>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
  const auto in_time = [](std::int64_t n) {
    return nanoseconds(static_cast<std::int64_t>(static_cast<double>(n) * tick));
  };
  return cpu_account::of_machine{.all = in_time(sum), .idle = in_time(ticks[3] + ticks[4])};
}

/// "throttled_usec 12" in version 2, "throttled_time 12000" in version 1.
nanoseconds throttled_time_in(const fs::path& group, int version) {
  std::ifstream file(group / "cpu.stat");
  std::string key;
  for (std::int64_t number = 0; file >> key >> number;) {
    if (version == 2 && key == "throttled_usec") return std::chrono::microseconds(number);
    if (version == 1 && key == "throttled_time") return nanoseconds(number);
  }
  return {};
}

}  // namespace

std::optional<cpu_account::of_machine> machine_times(const fs::path& proc_stat, std::span<const int> cpus) {
  std::ifstream lines(proc_stat);
  std::optional<cpu_account::of_machine> all;
  cpu_account::of_machine usable;
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    if (line.starts_with("cpu ")) {
      all = cpu_account_in(words);
      continue;
    }
    int number = -1;
    words >> number;
    const auto times = cpu_account_in(words);
    if (!times || std::ranges::find(cpus, number) == cpus.end()) continue;
    usable.all += times->all;
    usable.idle += times->idle;
    ++found;
  }
  const auto told = found == cpus.size() && found > 0 ? usable : all;
  if (!told || told->all == nanoseconds{}) return {};
  return told;
}

nanoseconds withheld_time(const fs::path& proc_self_cgroup, const fs::path& cgroup_root) {
  nanoseconds most{};
  for_control_groups(proc_self_cgroup, cgroup_root, "cpu", [&](const fs::path& group, int version) {
    most = std::max(most, throttled_time_in(group, version));
  });
  return most;
}

}  // namespace hogwild::detail
