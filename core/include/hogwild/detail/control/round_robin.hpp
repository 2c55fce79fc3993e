// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// Workers take turns in the circle of slots: a worker that is done hands on to the next one present. All workers share
/// the words, which begin as zeros: `owner`, a tag, or 0 for nobody; and for each slot how often its workers entered
/// and left, a count that is odd while one is present. A tag is a slot and that count, so that the tag of a worker that
/// left never names another one. `counts` tells whether others wait for the worker of a slot at all: they do not if it
/// died or was left out. Under every schedule:
///
///     of the workers that are present and count, one has the turn at a time;
///     a worker that counts has the turn until it hands on;
///     no worker waits for ever for one that left, died or does not count: it takes that one's turn.
///
/// A worker that waited for one that does not count removes it from the circle, so that the others go on in order. A
/// worker that was left out and comes back first leaves and enters again.
template <class Atomics = std_atomics>
class basic_round_robin {
  using word = typename Atomics::template atomic_ref<std::uint32_t>;

 public:
  using tag = std::uint32_t;
  using liveness = bool (*)(const void* context, std::size_t slot) noexcept;

  static constexpr std::size_t first_count = 32;  ///< the owner has a pair of cache lines of its own
  static constexpr std::uint32_t slot_bits = 12;  ///< of a tag: slot + 1; the count is in the bits above
  static constexpr std::size_t words_for(std::size_t slots) { return first_count + slots; }

  /// `words`: at least words_for() this number of slots.
  basic_round_robin(std::span<std::uint32_t> words, std::size_t slots, std::size_t slot, liveness counts,
                    const void* context)
      : words_(words), slots_(slots), slot_(slot), counts_(counts), context_(context) {}

  /// Called by the worker of the slot, before anything else.
  void enter() const noexcept {
    const word mine = count_of(slot_);
    mine.store((mine.load() + 1) | 1);  // a worker that died in this slot has left its count odd
  }

  /// Waits until it is this worker's turn, and returns true. Returns false if `give_up()`, which is called now and
  /// then, returns true.
  template <class F>
  bool take(const F& give_up) const noexcept {
    const word owner(words_[0]);
    const tag self = own_tag();
    for (std::uint32_t spins = 1;; ++spins) {
      tag seen = owner.load(std::memory_order_acquire);
      if (seen == self) return true;
      const bool look_around = spins % Atomics::looks(64) == 0;
      if (seen == 0 || (look_around && is_gone(seen))) {
        if (owner.compare_exchange_strong(seen, self, std::memory_order_acq_rel, std::memory_order_relaxed))
          return true;
        continue;
      }
      if (!look_around) {
        Atomics::relax(0, 1);
        continue;
      }
      if (give_up()) return false;
      Atomics::yield();  // with more workers than CPUs the owner may be waiting for this CPU
    }
  }

  /// Called by the worker whose turn it is: the next one has the turn, or the same one again if no other is present.
  void hand_on() const noexcept {
    const tag next = next_present();
    if (next != 0) hand_to(next);
  }

  /// Called by a worker that has entered, with or without the turn.
  void leave() const noexcept {
    const word mine = count_of(slot_);
    std::uint32_t count = mine.load();
    if (count % 2 == 0) return;  // another worker removed it
    tag self = tag_of(count, slot_);
    mine.compare_exchange_strong(count, count + 1);
    // A worker that hands on sees from now on that this one is gone; if it chose this one before, the waiting workers
    // find out.
    word(words_[0]).compare_exchange_strong(self, next_present(), std::memory_order_acq_rel, std::memory_order_relaxed);
  }

 private:
  word count_of(std::size_t slot) const noexcept { return word(words_[first_count + slot]); }
  static tag tag_of(std::uint32_t count, std::size_t slot) noexcept {
    return count << slot_bits | static_cast<tag>(slot + 1);
  }
  tag own_tag() const noexcept { return tag_of(count_of(slot_).load(std::memory_order_relaxed), slot_); }

  bool is_gone(tag who) const noexcept {
    const std::size_t slot = (who & ((1u << slot_bits) - 1)) - 1;
    const word its = count_of(slot);
    std::uint32_t count = its.load(std::memory_order_acquire);
    if (tag_of(count, slot) != who) return true;
    if (counts_(context_, slot)) return false;
    its.compare_exchange_strong(count, count + 1);
    return true;
  }

  /// The tag of the first worker present after this slot. Does not check whether it counts: that is in another cache
  /// line, which its worker writes all the time. 0: nobody.
  tag next_present() const noexcept {
    for (std::size_t i = 1; i < slots_; ++i) {
      const std::size_t slot = (slot_ + i) % slots_;
      const std::uint32_t count = count_of(slot).load(std::memory_order_acquire);
      if (count % 2 == 1) return tag_of(count, slot);
    }
    return 0;
  }

  void hand_to(tag next) const noexcept {
    tag self = own_tag();  // unless another worker took the turn over because this one was thought dead
    word(words_[0]).compare_exchange_strong(self, next, std::memory_order_acq_rel, std::memory_order_relaxed);
  }

  std::span<std::uint32_t> words_;
  std::size_t slots_, slot_;
  liveness counts_;
  const void* context_;
};

using round_robin = basic_round_robin<>;

}  // namespace hogwild
