// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>

#include <hogwild/core/control/control_block.hpp>
#include <hogwild/core/control/futex.hpp>
#include <hogwild/core/control/worker_slot.hpp>

// Where worker processes and their coordinator meet. The gate word is odd while a round is open. A worker makes its
// slot active, then looks at the gate, and reports which value it acted on; the coordinator closes the gate, then looks
// at the slots. All of it is sequentially consistent, so that a worker which joins at the last moment either is waited
// for or has seen the gate closed. Nobody else ever waits: parameters are read and written without any of this.

namespace hogwild {

inline bool gate_open(std::uint32_t gate) {
  return gate % 2 == 1;
}

/// Looks at a word for a moment before going to sleep on it, because most waits at a gate are shorter than a sleep.
/// Returns what the word holds, which may still be `seen` after the timeout.
inline std::uint32_t wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                                     std::chrono::nanoseconds timeout) {
  for (int looks = 0; looks < 64; ++looks) {
    if (const std::uint32_t now = word.load(); now != seen) return now;
    std::this_thread::yield();
  }
  futex_wait(word, seen, timeout);
  return word.load();
}

/// The coordinator's side.
class gate_keeper {
 public:
  gate_keeper(control_block& control, std::span<worker_slot> slots) : control_(control), slots_(slots) {}

  /// Lets the workers in; `control.round` and all that belongs to it has been written. Returns the gate's value.
  std::uint32_t open() {
    const std::uint32_t opened = control_.gate.fetch_add(1) + 1;
    futex_wake_all(control_.gate);
    return opened;
  }
  /// From here nobody new gets in; those who did are still waited for with absent().
  void close() {
    control_.gate.fetch_add(1);
    futex_wake_all(control_.gate);
  }
  /// True for a worker that has neither finished the round opened as `opened` nor seen that it missed it.
  static bool absent(const worker_slot& slot, std::uint32_t opened) {
    return slot.state.load() == worker_state::active && static_cast<std::int32_t>(slot.arrived.load() - opened) < 0;
  }
  bool any_absent(std::uint32_t opened) const {
    for (const worker_slot& slot : slots_) {
      if (absent(slot, opened)) return true;
    }
    return false;
  }
  /// Sleeps until somebody arrives or the time is over. `arrivals` is what control.arrivals held before the slots were
  /// looked at.
  void wait_for_arrival(std::uint32_t arrivals, std::chrono::nanoseconds timeout) const {
    wait_for_change(control_.arrivals, arrivals, timeout);
  }

 private:
  control_block& control_;
  std::span<worker_slot> slots_;
};

/// A worker's side.
class gate_visitor {
 public:
  gate_visitor(control_block& control, worker_slot& self) : control_(control), self_(self) {}

  /// Reports the gate's value `gate` as acted on: its round is done, or it was seen closed.
  void arrive(std::uint32_t gate) {
    self_.arrived.store(gate);
    control_.arrivals.fetch_add(1);
    futex_wake_all(control_.arrivals);
  }

  /// Waits until the gate holds another value than `seen`, at most `timeout`; returns what it holds. A worker that was
  /// left out counts again from here: first it says so, then it looks, like one that joins.
  std::uint32_t next(std::uint32_t seen, std::chrono::nanoseconds timeout) {
    wait_for_change(control_.gate, seen, timeout);
    auto left_out = worker_state::left_out;
    self_.state.compare_exchange_strong(left_out, worker_state::active);
    return control_.gate.load();
  }

 private:
  control_block& control_;
  worker_slot& self_;
};

}  // namespace hogwild
