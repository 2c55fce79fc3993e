// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "support/model_checker.hpp"

namespace hogwild::test {

/// A model checker's replacement for std_atomics: each call is one operation. A compare_exchange_weak does not fail
/// spuriously: on machines with such store buffers, none does.
class model_atomics {
  static model_checker& checker() { return *model_checker::current; }

  /// Operations on the `value` of Self, which is a T or a reference to one.
  template <class T, class Self>
  class word {
   public:
    T load(std::memory_order = std::memory_order_seq_cst) const noexcept {
      return static_cast<T>(checker().perform("loads", [this] { return checker().read(at()); }));
    }
    void store(T to, std::memory_order order = std::memory_order_seq_cst) const noexcept {
      checker().perform("stores", [&] { return checker().write(at(), to, order == std::memory_order_seq_cst), to; });
    }
    T exchange(T to) const noexcept {
      return update("exchanges", [to](T) { return to; });
    }
    T fetch_add(T by, auto...) const noexcept {
      return update("adds", [by](T now) { return static_cast<T>(now + by); });
    }
    T fetch_sub(T by, auto...) const noexcept { return fetch_add(static_cast<T>(0 - by)); }
    T fetch_or(T bits, auto...) const noexcept {
      return update("sets bits", [bits](T now) { return static_cast<T>(now | bits); });
    }
    bool compare_exchange_strong(T& from, T to, auto...) const noexcept {
      const T before = update("compares and swaps", [&](T now) { return now == from ? to : now; });
      return before == std::exchange(from, before);
    }
    bool compare_exchange_weak(T& from, T to, auto...) const noexcept { return compare_exchange_strong(from, to); }

   private:
    T& at() const { return const_cast<T&>(static_cast<const Self*>(this)->value); }
    T update(const char* name, const auto& change) const {
      return static_cast<T>(checker().perform(name, [&] {
        const T before = checker().read(at());
        return checker().write(at(), change(before), true), before;
      }));
    }
  };

 public:
  template <class T>
  struct atomic : word<T, atomic<T>> {
    T value;
  };
  template <class T>
  struct atomic_ref : word<T, atomic_ref<T>> {
    explicit atomic_ref(T& at) : value(at) {}
    T& value;
  };

  static constexpr std::uint32_t looks(std::uint32_t) noexcept { return 1; }
  static void relax(std::uint32_t, std::uint32_t) noexcept {}
  static void yield() noexcept {
    checker().perform("yields", [] { return checker().yield(), 0; });
  }
  static void wait(const atomic<std::uint32_t>& word, std::uint32_t seen, std::chrono::nanoseconds) noexcept {
    checker().perform("sleeps", [&] { return checker().sleep(word.value, seen), 0; });
  }
  static void wake_all(const atomic<std::uint32_t>& word) noexcept {
    checker().perform("wakes", [&] { return checker().wake_all(&word.value), 0; });
  }
};

}  // namespace hogwild::test
