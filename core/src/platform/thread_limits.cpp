// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/threads.hpp>

#include <fstream>
#include <string>

#include <sys/mman.h>
#include <sys/resource.h>

#include "platform/control_groups.hpp"

namespace hogwild {
namespace {

namespace fs = std::filesystem;

/// Nothing if the file does not begin with a number, as with the limit "max".
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return {};
}

std::optional<rlim_t> limit_of(decltype(RLIMIT_NPROC) resource) {
  ::rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return limit.rlim_cur;
}

/// Threads also fail if there is no room for their stacks.
bool has_room_for_a_stack() {
  constexpr std::size_t usual = std::size_t{8} << 20;
  const std::size_t bytes = limit_of(RLIMIT_STACK).value_or(usual);
  void* const room =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (room == MAP_FAILED) return false;
  ::munmap(room, bytes);
  return true;
}

}  // namespace

std::optional<std::uint64_t> detail::reached_pids_limit(const fs::path& proc_self_cgroup, const fs::path& cgroup_root) {
  std::optional<std::uint64_t> reached;
  for_control_groups(proc_self_cgroup, cgroup_root, "pids", [&](const fs::path& group, int) {
    const auto most = number_in(group / "pids.max"), now = number_in(group / "pids.current");
    if (!reached && most && now && *now >= *most) reached = most;
  });
  return reached;
}

std::optional<std::uint64_t> detail::reached_machine_limit(const fs::path& proc) {
  // "0.20 0.18 0.12 1/80 11206": the fourth word holds the numbers of running threads and of all threads.
  std::ifstream file(proc / "loadavg");
  std::string load, threads;
  for (int word = 0; word < 3; ++word) file >> load;
  file >> threads;
  const auto most = number_in(proc / "sys/kernel/threads-max");
  const std::size_t slash = threads.find('/');
  if (!most || slash == std::string::npos || std::strtoull(&threads[slash + 1], nullptr, 10) < *most) return {};
  return most;
}

std::string thread_limit_text() {
  const auto raise = [](const std::string& what) { return what + "; raise that limit"; };
  if (!has_room_for_a_stack()) {
    const auto bytes = limit_of(RLIMIT_AS);
    return bytes ? raise("this process may have " + std::to_string(*bytes) + " bytes of addresses (ulimit -v)")
                 : "there is no memory for its stack; free some";
  }
  if (const auto most = detail::reached_pids_limit("/proc/self/cgroup", "/sys/fs/cgroup"))
    return raise("the control group may have " + std::to_string(*most) + " processes and threads (pids.max)");
  if (const auto most = detail::reached_machine_limit("/proc"))
    return raise("the machine may have " + std::to_string(*most) + " threads (kernel.threads-max)");
  if (const auto most = limit_of(RLIMIT_NPROC))
    return raise("this user may have " + std::to_string(*most) + " processes and threads (ulimit -u)");
  return "the system has none left; look at the limits on processes (ulimit -u, a container's pids limit)";
}

}  // namespace hogwild
