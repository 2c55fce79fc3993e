// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// The state of a meeting.
enum class meeting {
  complete,  ///< all members came, and what they wrote before arrive() is visible
  open,      ///< some member is still missing
  broken     ///< it was broken off: no meeting of this barrier will ever complete again
};

/// A barrier at which a fixed number of members, threads or processes, meet again and again. All of them come to every
/// meeting; the last one to arrive opens the next. A member that dies or leaves would keep a meeting from ending, so
/// members that wait check now and then whether the others live, and break the barrier off for all if one is lost. A
/// zeroed barrier is unused. Under every schedule:
///
///     a meeting is complete when all members have come, and not before;
///     what members wrote before they arrived is visible to all for whom the meeting is complete;
///     a complete meeting stays complete, even if the barrier is broken off later;
///     one call breaks a barrier off, and then all members leave it;
///     no wake-up is lost: timeouts are needed only for dead members.
///
///     const auto number = barrier.arrive(members);
///     while (barrier.wait(number, 10ms) == meeting::open) ...   // check whether the others live
template <class Atomics = std_atomics>
struct basic_phase_barrier {
  template <class T>
  using atomic = typename Atomics::template atomic<T>;

  static constexpr std::uint32_t broken = 1u << 31;    ///< in `phase`
  static constexpr std::uint32_t phases = broken - 1;  ///< mask: meeting numbers wrap around

  alignas(128) atomic<std::uint32_t> phase;  ///< the open meeting; members sleep on it
  atomic<std::uint32_t> sleepers;            ///< members that may have to be woken; dead ones stay counted
  alignas(128) atomic<std::uint32_t> arrived;

  /// Called by each of the `members` once a meeting, and not again before that meeting is complete. Returns its number.
  std::uint32_t arrive(std::uint32_t members) noexcept {
    const std::uint32_t number = phase.load(std::memory_order_acquire);
    if ((number & broken) != 0) return number;
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
      arrived.store(0, std::memory_order_relaxed);
      std::uint32_t open = number;
      if (phase.compare_exchange_strong(open, (number + 1) & phases) && sleepers.load() > 0) Atomics::wake_all(phase);
    }
    return number;
  }

  /// The state of meeting `number`. A meeting that was complete before the barrier was broken off stays complete.
  meeting look(std::uint32_t number) const noexcept {
    const std::uint32_t now = phase.load(std::memory_order_acquire);
    if ((number & broken) != 0) return meeting::broken;
    if ((now & phases) != number) return meeting::complete;
    return (now & broken) != 0 ? meeting::broken : meeting::open;
  }

  /// Returns once the meeting is no longer open, at the latest after `timeout`. Spins for a few microseconds, then
  /// yields the CPU, then sleeps.
  meeting wait(std::uint32_t number, std::chrono::nanoseconds timeout) noexcept {
    for (std::uint32_t looks = 0; looks < Atomics::looks(400); ++looks) {
      if (const meeting now = look(number); now != meeting::open) return now;
      Atomics::relax(looks, 200);
    }
    sleepers.fetch_add(1);
    Atomics::wait(phase, number, timeout);
    sleepers.fetch_sub(1);
    return look(number);
  }

  /// Breaks off meeting `number`, for all members and for ever, unless it is complete. Returns true for the one call
  /// that did so.
  bool break_off(std::uint32_t number) noexcept {
    if ((number & broken) != 0 || !phase.compare_exchange_strong(number, number | broken)) return false;
    Atomics::wake_all(phase);
    return true;
  }
  /// The same for the meeting that is open.
  bool break_off() noexcept {
    const std::uint32_t before = phase.fetch_or(broken);
    Atomics::wake_all(phase);
    return (before & broken) == 0;
  }
  bool is_broken() const noexcept { return (phase.load(std::memory_order_acquire) & broken) != 0; }
};

using phase_barrier = basic_phase_barrier<>;

}  // namespace hogwild
