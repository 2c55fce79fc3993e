// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

// Whether a time was measured while others used the CPUs. All functions may be called by any thread.

namespace hogwild {

/// CPU time so far, since moments of the past: what two of them are apart is what was had in between.
struct cpu_account {
  /// Of the CPUs that this process may use.
  struct of_machine {
    std::chrono::nanoseconds all{}, idle{};
  };
  std::optional<of_machine> machine{};  ///< nothing where the system does not tell
  std::chrono::nanoseconds own{};       ///< of this process, and of children that it has waited for
  std::chrono::nanoseconds withheld{};  ///< in which a quota of its control groups stopped what would have run
};

/// Fractions of CPU time, from 0 to 1, that others took while somebody measured.
struct cpu_load {
  std::optional<double> others{};  ///< of the CPUs' time: by other programs, and by the host of this machine
  double withheld = 0.0;           ///< of the CPU time that this process asked for: by a quota
  double missed = 0.0;             ///< of the CPU time that threads asked for which wait for nothing: by anybody
};

/// From this fraction on a machine is busy: what the benchmarks take for idle is idle for nine tenths.
inline constexpr double busy_fraction = 0.1;

/// Above the fraction that is still idle. An unknown one is not.
bool is_busy(const cpu_load& load);
/// A clause that names the fractions that make the machine busy, and an unknown `others`; empty where there is nothing
/// to tell.
std::string load_text(const cpu_load& load);
/// 0.4321 is "43 %".
std::string percent_text(double fraction);

/// The load between two moments. `others` is unknown where the machine does not tell, or where no
/// time has passed by what it tells.
cpu_load load_between(const cpu_account& before, const cpu_account& after);
/// Of threads that ran together, wait for nothing, and have had `had` of `asked`, the sum of their times on the wall.
double missed_fraction(std::chrono::nanoseconds asked, std::chrono::nanoseconds had);

/// Makes an attempt at measuring, and up to three more as long as others take more than an idle machine's fraction of
/// the CPU time (`missed`, a member of what it returns); returns the one of which they took least.
template <class Attempt>
auto least_disturbed(const Attempt& attempt) {
  constexpr int most = 4;
  auto best = attempt();
  for (int made = 1; made < most && is_busy({.missed = best.missed}); ++made) {
    if (auto again = attempt(); again.missed < best.missed) best = again;
  }
  return best;
}

/// What the CPUs do from its beginning on.
class cpu_watch {
 public:
  cpu_watch();
  /// So far. It first waits until a quarter of a second has passed: the kernel counts in hundredths.
  cpu_load load() const;

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  cpu_account before_;
};

/// A reader tells a cpu_watch the time: at first the system does, and again where `reader` is empty. It is copied for
/// each call.
using cpu_account_reader = std::function<cpu_account()>;
cpu_account_reader set_cpu_account_reader(cpu_account_reader reader);

}  // namespace hogwild
