// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

// Tells whether others used the CPUs while a time was measured. All functions may be called by any thread.

namespace hogwild {

/// CPU times since some moments in the past; the difference of two accounts is the time spent in between.
struct cpu_account {
  /// Times of the CPUs that this process may use.
  struct of_machine {
    std::chrono::nanoseconds all{}, idle{};
  };
  std::optional<of_machine> machine{};  ///< nothing if the system does not report it
  std::chrono::nanoseconds own{};       ///< of this process, and of children that it has waited for
  std::chrono::nanoseconds withheld{};  ///< time in which a quota stopped threads that would have run
};

/// Fractions of CPU time, from 0 to 1, that others took during a measurement.
struct cpu_load {
  std::optional<double> others{};  ///< of the CPUs' time, taken by other programs and by the host of this machine
  double withheld = 0.0;           ///< of the CPU time that this process asked for, withheld by a quota
  double missed = 0.0;             ///< of the CPU time that threads which never wait asked for, taken by anybody
};

/// Above this fraction a machine is busy. The benchmarks too call a CPU idle if it is idle for nine tenths of the time.
inline constexpr double busy_fraction = 0.1;

/// Whether a fraction is above busy_fraction; an unknown one is not.
bool is_busy(const cpu_load& load);
/// A clause that names the fractions that make the machine busy, and an unknown `others`; empty if there are none.
std::string load_text(const cpu_load& load);
/// 0.4321 is "43 %".
std::string percent_text(double fraction);

/// The load between two moments. `others` is unknown if the machine does not report it, or if its counters show no time
/// passed.
cpu_load load_between(const cpu_account& before, const cpu_account& after);
/// For threads that ran together and wait for nothing: `asked` is the sum of their wall times, `had` their CPU time.
double missed_fraction(std::chrono::nanoseconds asked, std::chrono::nanoseconds had);

/// Measures once, and up to three more times while others take more of the CPU time than on an idle machine (`missed`,
/// a member of the result). Returns the attempt of which they took least.
template <class Attempt>
auto least_disturbed(const Attempt& attempt) {
  constexpr int most = 4;
  auto best = attempt();
  for (int made = 1; made < most && is_busy({.missed = best.missed}); ++made) {
    if (auto again = attempt(); again.missed < best.missed) best = again;
  }
  return best;
}

/// Watches the CPUs from its construction on.
class cpu_watch {
 public:
  cpu_watch();
  /// The load so far. First waits until a quarter of a second has passed: the kernel counts in hundredths.
  cpu_load load() const;

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  cpu_account before_;
};

/// Sets how cpu_watch reads the accounts; by default, and if `reader` is empty, from the system. It is copied for each
/// call.
using cpu_account_reader = std::function<cpu_account()>;
cpu_account_reader set_cpu_account_reader(cpu_account_reader reader);

namespace detail {

/// The times of these CPUs in `proc_stat`, which has the form of /proc/stat. If one of them is missing there, those of
/// all its CPUs: in a container numbers may differ. Nothing if it cannot be read or holds no times.
std::optional<cpu_account::of_machine> machine_times(const std::filesystem::path& proc_stat, std::span<const int> cpus);

/// The longest time for which a control group of this process was stopped by its quota, over all CPUs; zero if none has
/// a quota. The arguments are as those of cpu_quota_in().
std::chrono::nanoseconds withheld_time(const std::filesystem::path& proc_self_cgroup,
                                       const std::filesystem::path& cgroup_root);

}  // namespace detail

}  // namespace hogwild
