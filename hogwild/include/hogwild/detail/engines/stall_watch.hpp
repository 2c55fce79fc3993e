// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include <hogwild/detail/control/worker_slot.hpp>

namespace hogwild {

/// Tells a worker process that is stopped or stuck from one that is slow. Its progress (worker_slot::progress) stands
/// still in both; but a slow one computes, in a long batch say, or would if it got a CPU. So before it is given up the
/// system is asked: a process of which a thread spends CPU time or is ready to (any but the one that watches the
/// supervisor: a model may compute on threads of its own) is not stalled, however long it takes; whoever was stopped by
/// a signal is, and so is whoever sleeps and does nothing. Whoever waits for a disk or a page of memory is waited for
/// as well, and waits_long() tells of it. Used by one thread.
class stall_watch {
 public:
  using clock = std::chrono::steady_clock;
  /// Without progress for so long, a worker that is stopped or sleeps is stalled.
  static constexpr std::chrono::nanoseconds timeout = std::chrono::seconds(1);
  /// For so long a worker may wait for a disk before that is worth a word.
  static constexpr std::chrono::seconds disk_timeout{5};

  /// Looks at the worker in `slot`; `waited_for`: whether somebody waits for it. Else it may stand still.
  void look(const worker_slot& slot, bool waited_for, clock::time_point now);
  /// After look(): whether it is stalled. A process that cannot be looked at is so after ten times the timeout.
  bool stalled(const worker_slot& slot, clock::time_point now);
  /// After stalled(): whether it has done nothing for long but wait for a disk or a page of memory. True once in each
  /// standstill.
  bool waits_long(clock::time_point now);
  /// From here it has `grace` left at least.
  void grant(std::chrono::nanoseconds grace, clock::time_point now) {
    moved_ = std::max(moved_, now - timeout + grace);
  }
  clock::time_point moved() const { return moved_; }

 private:
  void restart(clock::time_point now);

  std::uint64_t progress_ = 0;
  clock::time_point moved_ = clock::now();
  clock::time_point at_work_ = moved_;    ///< when it got on or computed last
  bool waits_for_disk_ = false;           ///< since then
  bool told_ = false;                     ///< of that
  std::optional<std::uint64_t> ticks_{};  ///< of CPU time of its threads, when half the timeout was over
};

}  // namespace hogwild
