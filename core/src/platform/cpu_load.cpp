// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/cpu_load.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/platform/topology.hpp>

namespace hogwild {
namespace {

using std::chrono::nanoseconds;

constexpr std::chrono::milliseconds least_cpu_watch{250};

double fraction_of_time(nanoseconds part, nanoseconds of) {
  if (of <= nanoseconds{}) return 0.0;
  return std::clamp(static_cast<double>(part.count()) / static_cast<double>(of.count()), 0.0, 1.0);
}

cpu_account cpu_account_of_this_system() {
  return {.machine = detail::machine_times("/proc/stat", usable_cpu_list()),
          .own = process_cpu_time() + children_cpu_time(),
          .withheld = detail::withheld_time("/proc/self/cgroup", "/sys/fs/cgroup")};
}

struct cpu_account_teller {
  std::mutex guard{};
  cpu_account_reader reader{};
};

cpu_account_teller& teller_of_cpu_account() {
  static cpu_account_teller only;
  return only;
}

cpu_account cpu_account_now() {
  cpu_account_reader reader;
  {
    const std::scoped_lock lock(teller_of_cpu_account().guard);
    reader = teller_of_cpu_account().reader;
  }
  return reader ? reader() : cpu_account_of_this_system();
}

}  // namespace

bool is_busy(const cpu_load& load) {
  return load.others.value_or(0.0) > busy_fraction || load.withheld > busy_fraction || load.missed > busy_fraction;
}

std::string percent_text(double fraction) {
  return std::to_string(std::lround(100.0 * fraction)) + " %";
}

std::string load_text(const cpu_load& load) {
  std::string text;
  const auto add = [&text](const std::string& clause) { text += (text.empty() ? "" : ", ") + clause; };
  if (load.others.value_or(0.0) > busy_fraction)
    add("other programs took " + percent_text(*load.others) + " of the CPUs' time");
  if (load.withheld > busy_fraction)
    add("a quota kept back " + percent_text(load.withheld) + " of the CPU time that was asked for");
  if (load.missed > busy_fraction)
    add("threads that wait for nothing did not get " + percent_text(load.missed) + " of their CPU time");
  if (!load.others) add("what other programs took is unknown, since /proc/stat does not tell");
  return text;
}

cpu_load load_between(const cpu_account& before, const cpu_account& after) {
  cpu_load load;
  const nanoseconds own = after.own - before.own, withheld = after.withheld - before.withheld;
  load.withheld = fraction_of_time(withheld, own + withheld);
  if (!before.machine || !after.machine) return load;
  const nanoseconds all = after.machine->all - before.machine->all, idle = after.machine->idle - before.machine->idle;
  if (all > nanoseconds{}) load.others = fraction_of_time(all - idle - own, all);
  return load;
}

double missed_fraction(nanoseconds asked, nanoseconds had) {
  return fraction_of_time(asked - had, asked);
}

cpu_watch::cpu_watch() : before_(cpu_account_now()) {}

cpu_load cpu_watch::load() const {
  std::this_thread::sleep_until(begun_ + least_cpu_watch);
  return load_between(before_, cpu_account_now());
}

cpu_account_reader set_cpu_account_reader(cpu_account_reader reader) {
  const std::scoped_lock lock(teller_of_cpu_account().guard);
  return std::exchange(teller_of_cpu_account().reader, std::move(reader));
}

}  // namespace hogwild
