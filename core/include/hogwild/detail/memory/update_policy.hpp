// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/control/std_atomics.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// The striped locks of the locked baseline. A stripe holds 0 if it is free, else its owner's tag: worker slot and
/// generation. `alive` tells whether a tag's worker still runs and counts. Under every schedule:
///
///     of the workers that count, one has a stripe at a time;
///     a worker that counts keeps its stripe until it gives it back;
///     no worker waits for ever for a stripe whose owner does not count: it takes the stripe over.
///
/// This holds because a tag that did not count once never counts again (worker_slot.hpp).
template <class Atomics = std_atomics>
class basic_stripe_locks {
  using word = typename Atomics::template atomic_ref<std::uint32_t>;

 public:
  using tag = std::uint32_t;
  using liveness = bool (*)(const void* context, tag owner) noexcept;

  basic_stripe_locks() = default;
  /// `stripes`: a power of two, zeroed, shared by all workers. `self` is never 0.
  basic_stripe_locks(std::span<std::uint32_t> stripes, tag self, liveness alive, const void* context)
      : stripes_(stripes), self_(self), alive_(alive), context_(context) {}

  void lock(std::size_t coordinate) const noexcept { lock_stripe(stripe_of(coordinate)); }
  /// To lock several stripes, lock them in ascending order.
  void lock_stripe(std::size_t number) const noexcept {
    const word stripe(stripes_[number]);
    for (std::uint32_t spins = 1;; ++spins) {
      tag seen = 0;
      if (stripe.compare_exchange_weak(seen, self_, std::memory_order_acquire, std::memory_order_relaxed)) return;
      // Whether the owner lives is in another cache line, its slot, so check rarely.
      if (seen != 0 && spins % Atomics::looks(1024) == 0 && !alive_(context_, seen) &&
          stripe.compare_exchange_strong(seen, self_, std::memory_order_acquire, std::memory_order_relaxed)) {
        return;
      }
      // With more workers than CPUs the owner may be waiting for this CPU.
      if (spins % Atomics::looks(64) == 0) Atomics::yield();
    }
  }
  /// One attempt to lock a stripe: true if this worker has it now. Takes over a dead owner's stripe.
  bool try_lock_stripe(std::size_t stripe) const noexcept {
    const word owner(stripes_[stripe]);
    tag seen = 0;
    if (owner.compare_exchange_strong(seen, self_, std::memory_order_acquire, std::memory_order_relaxed)) return true;
    return !alive_(context_, seen) &&
           owner.compare_exchange_strong(seen, self_, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// Unlocks it, unless another worker took it over because this one was thought dead.
  void unlock_stripe(std::size_t stripe) const noexcept {
    tag mine = self_;
    word(stripes_[stripe]).compare_exchange_strong(mine, 0, std::memory_order_release, std::memory_order_relaxed);
  }
  /// Whether nobody has it at the moment.
  bool is_free(std::size_t stripe) const noexcept {
    return word(stripes_[stripe]).load(std::memory_order_relaxed) == 0;
  }

  void unlock(std::size_t coordinate) const noexcept { unlock_stripe(stripe_of(coordinate)); }

  /// Sixteen neighbours share a stripe: one cache line of float parameters.
  std::size_t stripe_of(std::size_t coordinate) const noexcept { return (coordinate / neighbours) & (count() - 1); }
  std::size_t count() const noexcept { return stripes_.size(); }
  static constexpr std::size_t neighbours = 16;

 private:
  std::span<std::uint32_t> stripes_;
  tag self_ = 0;
  liveness alive_ = nullptr;
  const void* context_ = nullptr;
};

using stripe_locks = basic_stripe_locks<>;

namespace update {

/// Load, add, store: Hogwild!. Never torn; an add may be lost if another worker writes in between, as the method
/// accepts.
struct lossy {
  static constexpr update_kind kind = update_kind::lossy;
};

/// Compare-and-swap until the add has happened: no add is ever lost.
struct exact {
  static constexpr update_kind kind = update_kind::exact;
};

/// An add under the stripe's lock: the baseline. No add is lost unless a worker dies or is stopped so long that the
/// others go on without it.
struct locked {
  static constexpr update_kind kind = update_kind::locked;
  stripe_locks locks;
};

}  // namespace update
}  // namespace hogwild
