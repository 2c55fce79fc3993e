// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>

#include <hogwild/detail/control/control_block.hpp>
#include <hogwild/detail/control/std_atomics.hpp>
#include <hogwild/detail/control/worker_slot.hpp>

// Worker processes and their coordinator meet at the gate. The gate word is odd while a round is open. A worker makes
// its slot active, then looks at the gate, and reports which value it acted on; the coordinator closes the gate, then
// looks at the slots. All of these accesses are sequentially consistent. Nothing else ever waits: parameters are read
// and written without any of this. Under every schedule:
//
//     a worker that joins or wakes at the last moment either is waited for or has seen the gate closed;
//     a worker that counts trains by the plan of the round that it found open, and the plan stays until it has arrived;
//     no wake-up is lost: timeouts are needed only for dead workers.

namespace hogwild {

inline bool gate_open(std::uint32_t gate) {
  return gate % 2 == 1;
}

/// Spins on a word for a moment before sleeping on it, because most waits at a gate are shorter than a sleep. Returns
/// the word's value, which may still be `seen` after the timeout.
template <class Atomics = std_atomics>
std::uint32_t wait_for_change(const typename Atomics::template atomic<std::uint32_t>& word, std::uint32_t seen,
                              std::chrono::nanoseconds timeout) {
  for (std::uint32_t looks = 0; looks < Atomics::looks(64); ++looks) {
    if (const std::uint32_t now = word.load(); now != seen) return now;
    Atomics::relax(looks, 0);
  }
  Atomics::wait(word, seen, timeout);
  return word.load();
}

/// The coordinator's side.
template <class Atomics = std_atomics>
class basic_gate_controller {
 public:
  using control_block = basic_control_block<Atomics>;
  using worker_slot = basic_worker_slot<Atomics>;

  basic_gate_controller(control_block& control, std::span<worker_slot> slots) : control_(control), slots_(slots) {}

  /// Opens the gate; `control.round` and all that belongs to it must be written before. Returns the gate's value.
  std::uint32_t open() {
    const std::uint32_t opened = control_.gate.fetch_add(1) + 1;
    Atomics::wake_all(control_.gate);
    return opened;
  }
  /// Closes the gate: no further worker enters; those that did are still waited for with absent().
  void close() {
    control_.gate.fetch_add(1);
    Atomics::wake_all(control_.gate);
  }
  /// Ends the run: workers that wait at the gate leave. The changed value keeps a worker awake that has just looked
  /// whether to leave. While the value is 0 no worker is there.
  void dismiss() {
    control_.stop.store(stop_request::leave);
    if (const std::uint32_t now = control_.gate.load(); now != 0) control_.gate.store((now | 1) + 1);
    Atomics::wake_all(control_.gate);
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
  /// Sleeps until a worker arrives or `timeout` has passed. `arrivals` is the value of control.arrivals before the
  /// slots were looked at.
  void wait_for_arrival(std::uint32_t arrivals, std::chrono::nanoseconds timeout) const {
    wait_for_change<Atomics>(control_.arrivals, arrivals, timeout);
  }

 private:
  control_block& control_;
  std::span<worker_slot> slots_;
};

using gate_controller = basic_gate_controller<>;

/// A worker's side.
template <class Atomics = std_atomics>
class basic_gate_visitor {
 public:
  using control_block = basic_control_block<Atomics>;
  using worker_slot = basic_worker_slot<Atomics>;

  basic_gate_visitor(control_block& control, worker_slot& self) : control_(control), self_(self) {}

  /// Reports that this worker has acted on the gate's value `gate`: its round is done, or it was seen closed.
  void arrive(std::uint32_t gate) {
    self_.arrived.store(gate);
    control_.arrivals.fetch_add(1);
    Atomics::wake_all(control_.arrivals);
  }

  /// Waits at most `timeout` until the gate's value differs from `seen`; returns its value. From here on a worker that
  /// was left out counts again: like one that joins, it first says so, then looks at the gate.
  std::uint32_t next(std::uint32_t seen, std::chrono::nanoseconds timeout) {
    wait_for_change<Atomics>(control_.gate, seen, timeout);
    self_.come_back();
    return control_.gate.load();
  }

 private:
  control_block& control_;
  worker_slot& self_;
};

using gate_visitor = basic_gate_visitor<>;

}  // namespace hogwild
