// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// Whose turn it is on a ring of replicas: one word, which holds how many hand-offs there were (the generation, 48
/// bits), whether a worker has the token in hand (1 bit) and the replica that it names (15 bits). Every change is a
/// compare-and-swap from exactly what was seen, and every hand-off raises the generation. Under every schedule:
///
///     a generation has one holder;
///     a generation is created once, and never falls;
///     a dead token changes nothing, and a live one is not refused;
///     the token is not lost with its holder: whoever waited too long takes it over, under a new generation.
///
/// A holder that was passed over learns of it from is_still() or when it passes: its token is dead. Until then two
/// workers may exchange at once, as holders of different generations. That does not harm the parameters, because
/// exchanges add increments and overwrite nothing.
///
/// Nobody waits in here. Zero is a token of generation 0 that names replica 0. Has no pointers and lies in a shared
/// segment.
template <class Atomics = std_atomics>
struct alignas(128) basic_ring_token {
  static constexpr std::size_t most_replicas = std::size_t{1} << 15;

  /// The token as it was at one moment.
  struct seen {
    std::uint64_t word;
    bool operator==(const seen&) const = default;
  };

  typename Atomics::template atomic<std::uint64_t> word;

  /// What the holders before this moment wrote before they passed the token is seen.
  seen look() const noexcept { return {word.load(std::memory_order_acquire)}; }

  static std::uint64_t generation(seen s) noexcept { return s.word >> 16; }
  static std::size_t replica(seen s) noexcept { return s.word & (most_replicas - 1); }
  static bool in_hand(seen s) noexcept { return (s.word & most_replicas) != 0; }

  /// Whether it is the turn of `me`, a replica, and none of its workers has the token in hand: claim() it.
  static bool names(seen s, std::size_t me) noexcept { return !in_hand(s) && replica(s) == me; }

  /// Whether nothing has happened to the token since; for a holder, whether it still is one.
  bool is_still(seen s) const noexcept { return word.load(std::memory_order_relaxed) == s.word; }

  /// By a worker of the replica that the token names: takes it in hand. Nothing where another one was faster, or
  /// somebody took it over. What is returned is for pass().
  std::optional<seen> claim(seen s) noexcept { return swap(s, s.word | most_replicas, std::memory_order_acquire); }

  /// By the holder, with what it claimed or took over: `next` is below most_replicas. False where the token was taken
  /// over: the caller then is no holder and changed nothing.
  bool pass(seen s, std::size_t next) noexcept {
    return swap(s, handed_off(s, next), std::memory_order_release).has_value();
  }

  /// By a worker of replica `me`, below most_replicas, that has seen the token as `s` for too long, in whosesoever
  /// hand: a new generation, which the caller has in hand. Nothing where something has happened to the token since.
  std::optional<seen> take_over(seen s, std::size_t me) noexcept {
    return swap(s, handed_off(s, me) | most_replicas, std::memory_order_acq_rel);
  }

  /// By the coordinator at the beginning of a round: names `first`. The generation goes on rising, so that a worker
  /// which was stopped with the token in an earlier round finds it dead.
  void open(std::size_t first) noexcept {
    while (!pass(look(), first)) {
    }
  }

 private:
  static std::uint64_t handed_off(seen s, std::size_t to) noexcept {
    return ((generation(s) + 1) << 16) | (to & (most_replicas - 1));
  }
  std::optional<seen> swap(seen from, std::uint64_t to, std::memory_order order) noexcept {
    if (!word.compare_exchange_strong(from.word, to, order, std::memory_order_relaxed)) return std::nullopt;
    return seen{to};
  }
};

using ring_token = basic_ring_token<>;
static_assert(std::is_standard_layout_v<ring_token> && sizeof(ring_token) == 128);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "the token is shared across processes");

}  // namespace hogwild
