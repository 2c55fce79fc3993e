// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// Says whose turn it is on a ring of replicas. One word holds the number of hand-offs (the generation, 48 bits),
/// whether a worker has the token in hand (1 bit) and the replica that the token names (15 bits). Every change is a
/// compare-and-swap from exactly what was seen, and every hand-off raises the generation. Under every schedule:
///
///     a generation has one holder;
///     a generation is created once, and never falls;
///     a dead token changes nothing, and a live one is not refused;
///     the token is not lost with its holder: a worker that waited too long takes it over, under a new generation.
///
/// A holder that was passed over learns this from is_still() or when it passes the token: its token is dead. Until then
/// two workers may exchange at once, as holders of different generations. That does not harm the parameters, because
/// exchanges add increments and overwrite nothing.
///
/// No member function waits. A zeroed word is a token of generation 0 that names replica 0. It has no pointers and lies
/// in a shared segment.
template <class Atomics = std_atomics>
struct alignas(128) basic_ring_token {
  static constexpr std::size_t most_replicas = std::size_t{1} << 15;

  /// The token as it was at one moment.
  struct seen {
    std::uint64_t word;
    bool operator==(const seen&) const = default;
  };

  typename Atomics::template atomic<std::uint64_t> word;

  /// The token now. What earlier holders wrote before they passed it is visible.
  seen look() const noexcept { return {word.load(std::memory_order_acquire)}; }

  static std::uint64_t generation(seen s) noexcept { return s.word >> 16; }
  static std::size_t replica(seen s) noexcept { return s.word & (most_replicas - 1); }
  static bool in_hand(seen s) noexcept { return (s.word & most_replicas) != 0; }

  /// Whether it is the turn of replica `me`, and none of its workers has the token in hand: claim() it then.
  static bool names(seen s, std::size_t me) noexcept { return !in_hand(s) && replica(s) == me; }

  /// Whether the token is unchanged since then; for a holder: whether it still holds it.
  bool is_still(seen s) const noexcept { return word.load(std::memory_order_relaxed) == s.word; }

  /// Called by a worker of the replica that the token names: takes the token in hand. Returns nothing if another worker
  /// was faster or somebody took it over; otherwise the value to give to pass().
  std::optional<seen> claim(seen s) noexcept { return swap(s, s.word | most_replicas, std::memory_order_acquire); }

  /// Called by the holder with the value that it got from claim() or take_over(); `next` is below most_replicas.
  /// Returns false if the token was taken over: the caller then is not the holder and changed nothing.
  bool pass(seen s, std::size_t next) noexcept {
    return swap(s, handed_off(s, next), std::memory_order_release).has_value();
  }

  /// Called by a worker of replica `me`, below most_replicas, that has seen the token as `s` for too long, whoever has
  /// it in hand. Starts a new generation, which the caller has in hand. Returns nothing if the token has changed since.
  std::optional<seen> take_over(seen s, std::size_t me) noexcept {
    return swap(s, handed_off(s, me) | most_replicas, std::memory_order_acq_rel);
  }

  /// Called by the coordinator at the beginning of a round: names `first`. The generation goes on rising, so that a
  /// worker that was stopped with the token in an earlier round finds it dead.
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
