// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "support/model_checker.hpp"

namespace hogwild::test {

/// What a model checker puts in the place of std_atomics: each call is one operation. A compare_exchange_weak does not
/// fail by chance: on the machines that have store buffers as these, none does.
struct model_atomics {
  template <class T>
  class atomic_ref {
   public:
    explicit atomic_ref(T& at) : at_(&at) {}

    T load(std::memory_order = std::memory_order_seq_cst) const noexcept {
      return static_cast<T>(model_checker::perform(
          "loads", [at = at_](auto& c) -> outcome { return static_cast<std::uint64_t>(c.read(at)); }));
    }
    void store(T to, std::memory_order order = std::memory_order_seq_cst) const noexcept {
      model_checker::perform("stores", [&](auto& c) -> outcome {
        return c.write(at_, to, order == std::memory_order_seq_cst), static_cast<std::uint64_t>(to);
      });
    }
    template <class Change>
    T update(const char* what, const Change& change) const noexcept {
      return static_cast<T>(model_checker::perform(what, [&](auto& c) -> outcome {
        c.settle();
        const T before = *at_;
        return c.write(at_, change(before), true), static_cast<std::uint64_t>(before);
      }));
    }
    bool compare_exchange_strong(T& from, T to, auto...) const noexcept {
      const T before = update("compares and swaps", [&](T now) { return now == from ? to : now; });
      const bool done = before == from;
      from = before;
      return done;
    }
    bool compare_exchange_weak(T& from, T to, auto...) const noexcept { return compare_exchange_strong(from, to); }

   private:
    using outcome = model_checker::outcome;
    T* at_;
  };

  template <class T>
  struct atomic {
    T value;

    atomic_ref<T> here() const noexcept { return atomic_ref<T>(const_cast<T&>(value)); }
    T load(std::memory_order order = std::memory_order_seq_cst) const noexcept { return here().load(order); }
    void store(T to, std::memory_order order = std::memory_order_seq_cst) noexcept { here().store(to, order); }
    T exchange(T to) noexcept {
      return here().update("exchanges", [to](T) { return to; });
    }
    T fetch_add(T by, auto...) noexcept {
      return here().update("adds", [by](T now) { return static_cast<T>(now + by); });
    }
    T fetch_sub(T by, auto...) noexcept { return fetch_add(static_cast<T>(0 - by)); }
    T fetch_or(T bits, auto...) noexcept {
      return here().update("sets bits", [bits](T now) { return static_cast<T>(now | bits); });
    }
    bool compare_exchange_strong(T& from, T to, auto...) noexcept { return here().compare_exchange_strong(from, to); }
    bool compare_exchange_weak(T& from, T to, auto...) noexcept { return here().compare_exchange_strong(from, to); }
  };

  static constexpr std::uint32_t looks(std::uint32_t) noexcept { return 1; }
  static void relax(std::uint32_t, std::uint32_t) noexcept {}
  static void yield() noexcept {
    model_checker::perform("yields", [](auto& c) { return c.yield(); });
  }
  static void wait(const atomic<std::uint32_t>& word, std::uint32_t seen, std::chrono::nanoseconds) noexcept {
    model_checker::perform("sleeps", [&](auto& c) -> model_checker::outcome {
      c.settle();
      return word.value == seen ? c.sleep_on(&word) : model_checker::outcome(1);
    });
  }
  static void wake_all(const atomic<std::uint32_t>& word) noexcept {
    model_checker::perform("wakes",
                           [&](auto& c) -> model_checker::outcome { return c.settle(), c.wake_all(&word), 0; });
  }
};

}  // namespace hogwild::test
