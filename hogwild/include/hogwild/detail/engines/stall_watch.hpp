// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include <hogwild/detail/control/worker_slot.hpp>

namespace hogwild {

/// Tells a worker process that is stopped or stuck from one that is slow. The progress count (worker_slot::progress)
/// stands still in both cases; but a slow one computes, in a long batch for example, or would if it got a CPU. So
/// before a worker is given up, the system is asked about its process. A worker is not stalled, however long it takes,
/// if any of its threads spends CPU time or is ready to run (a model may compute on threads of its own; the thread that
/// watches the supervisor does not count). A worker is stalled if a signal stopped it, or if it sleeps and does
/// nothing. A worker that waits for a disk or a page of memory is waited for as well, and waits_long() reports it. Used
/// by one thread.
class stall_watch {
 public:
  using clock = std::chrono::steady_clock;
  /// A worker that is stopped or sleeps is stalled after this long without progress.
  static constexpr std::chrono::nanoseconds timeout = std::chrono::seconds(1);
  /// A worker that waits for a disk longer than this is reported.
  static constexpr std::chrono::seconds disk_timeout{5};

  /// Looks at the worker in `slot`. `waited_for`: whether anybody waits for it; if not, it may stand still.
  void look(const worker_slot& slot, bool waited_for, clock::time_point now);
  /// After look(): whether it is stalled. If its process cannot be examined, it is stalled after ten times the timeout.
  bool stalled(const worker_slot& slot, clock::time_point now);
  /// After stalled(): whether for long it has done nothing but wait for a disk or a page of memory. True once in each
  /// standstill.
  bool waits_long(clock::time_point now);
  /// From now on it has at least `grace` left.
  void grant(std::chrono::nanoseconds grace, clock::time_point now) {
    moved_ = std::max(moved_, now - timeout + grace);
  }
  clock::time_point moved() const { return moved_; }

 private:
  void restart(clock::time_point now);

  std::uint64_t progress_ = 0;
  clock::time_point moved_ = clock::now();
  clock::time_point at_work_ = moved_;    ///< when it last made progress or computed
  bool waits_for_disk_ = false;           ///< since then
  bool told_ = false;                     ///< whether that was reported
  std::optional<std::uint64_t> ticks_{};  ///< CPU time of its threads when half the timeout had passed
};

}  // namespace hogwild
