// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/machine.hpp>

#include <charconv>
#include <ctime>
#include <fstream>
#include <string_view>

#include <sys/resource.h>

#include <hogwild/detail/platform/topology.hpp>

namespace hogwild {
namespace {

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::optional<std::string> first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || trimmed(line).empty()) return std::nullopt;
  return trimmed(line);
}

/// The value of the first "key : value" line with that key.
std::optional<std::string> value_of(const std::filesystem::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && trimmed(std::string_view(line).substr(0, colon)) == key) {
      return trimmed(std::string_view(line).substr(colon + 1));
    }
  }
  return std::nullopt;
}

std::string cpu_model_in(const std::filesystem::path& cpuinfo) {
  // The key is "model name" on x86, "Processor" or "Hardware" in older Arm kernels, "cpu" on s390 and others.
  for (const std::string_view key : {"model name", "Processor", "Hardware", "cpu"}) {
    if (auto found = value_of(cpuinfo, key); found && !found->empty()) return *found;
  }
  return "unknown";
}

std::uint64_t memory_in(const std::filesystem::path& file, std::string_view key) {
  const std::string kibibytes = value_of(file, key).value_or("");  // "24684084 kB"
  std::uint64_t number = 0;
  std::from_chars(kibibytes.data(), kibibytes.data() + kibibytes.size(), number);
  return number * 1024;
}

}  // namespace

machine_facts this_machine(const std::filesystem::path& proc, const std::filesystem::path& sys) {
  return {.cpu_model = cpu_model_in(proc / "cpuinfo"),
          .logical_cpus = logical_cpus(),
          .usable_cpus = usable_cpus(),
          .cpu_quota = cpu_quota(),
          .numa_nodes = numa_nodes(),
          .memory_bytes = memory_in(proc / "meminfo", "MemTotal"),
          .kernel = first_line(proc / "sys/kernel/osrelease").value_or("unknown"),
          .governor = first_line(sys / "devices/system/cpu/cpu0/cpufreq/scaling_governor")};
}

namespace {

std::chrono::nanoseconds told_by(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

std::chrono::nanoseconds process_cpu_time() {
  return told_by(CLOCK_PROCESS_CPUTIME_ID);
}

std::chrono::nanoseconds thread_cpu_time() {
  return told_by(CLOCK_THREAD_CPUTIME_ID);
}

std::uint64_t peak_rss_bytes() {
  // getrusage() includes the most that the parent had when it started this process.
  if (const std::uint64_t told = memory_in("/proc/self/status", "VmHWM"); told > 0) return told;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace hogwild
