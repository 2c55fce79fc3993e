// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include <hogwild/detail/control/ring_token.hpp>
#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/control/turn_board.hpp>

namespace hogwild {

/// The coordinator's request to every worker.
enum class stop_request : std::uint32_t {
  none,
  round,    ///< finish the current rows, then come to the gate: the run ends early at a consistent point
  leave,    ///< the run is over
  orphaned  ///< the coordinator is gone; written by the worker that noticed
};

/// The words that synchronise coordinator and workers. Access to parameters never waits for them.
///
/// See epoch_gate.hpp for the gate; `round`, the counters and the redo list change only while it is closed.
template <class Atomics = std_atomics>
struct basic_control_block {
  template <class T>
  using atomic = typename Atomics::template atomic<T>;

  alignas(128) atomic<std::uint32_t> gate;      ///< odd: open; raised by one at each opening and closing
  alignas(128) atomic<std::uint32_t> arrivals;  ///< counts arrivals; the coordinator sleeps on it
  alignas(128) atomic<stop_request> stop;
  alignas(128) round_plan round;
  basic_ticket_counter<Atomics> drawn;  ///< claimed tickets of this pass, from all shards: how far the epoch has come
  basic_turn_board<Atomics> board;      ///< for reproducible rounds
  basic_ring_token<Atomics> token;      ///< for replicas on a ring: whose turn it is to exchange

  bool leaving() const noexcept { return stop.load() >= stop_request::leave; }
  bool stopping() const noexcept { return stop.load(std::memory_order_relaxed) != stop_request::none; }
};

using control_block = basic_control_block<>;

}  // namespace hogwild
