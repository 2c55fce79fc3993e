// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <span>

#include <hogwild/detail/memory/update_policy.hpp>
#include <hogwild/detail/platform/thread_sanitizer.hpp>

#if defined(__SSE2__) && !defined(HOGWILD_THREAD_SANITIZER)
#define HOGWILD_VECTOR_EXCHANGE
#include <emmintrin.h>
#endif

// The only file with memory orders for parameters. Every access is a relaxed std::atomic_ref: no element is ever torn,
// and the order in which others see changes of two elements is not defined. Plain loads and stores would be a data
// race, which compilers may break; on the supported machines relaxed ones cost the same.

namespace hogwild {

/// The types of parameters: lock-free, so that the same bytes work in threads and across processes.
template <class T>
concept parameter = std::floating_point<T> && std::atomic_ref<T>::is_always_lock_free;

namespace detail {

/// Loads one element, or a word of several narrower ones, which others may write meanwhile.
template <class T>
T load_relaxed(const T& from) {
  static_assert(std::atomic_ref<T>::is_always_lock_free);
  return std::atomic_ref<T>(const_cast<T&>(from)).load(std::memory_order_relaxed);
}
/// Stores likewise, while others may read and write.
template <class T>
void store_relaxed(T& to, T value) {
  static_assert(std::atomic_ref<T>::is_always_lock_free);
  std::atomic_ref<T>(to).store(value, std::memory_order_relaxed);
}

/// For runs of fewer floats an inline loop is faster than a call of the two functions below.
inline constexpr std::size_t worth_wide_vectors = 64;
/// to[i] += factor * from[i] for n floats, with the widest vectors of this machine; all give the same bits. Others may
/// read `to` and add to it meanwhile; nobody writes `from`.
void add_scaled_run(float* to, const float* from, std::size_t n, float factor);
/// to[i] = from[i] likewise, for runs that do not overlap. Others may write `from` and read `to` meanwhile.
void copy_run(float* to, const float* from, std::size_t n);

/// Copies a dense run while others may write the source and read the target; elements may be of different ages.
template <parameter T>
void copy_parameters(const T* from, T* to, std::size_t n) {
  std::size_t i = 0;
#if defined(HOGWILD_VECTOR_EXCHANGE)
  if constexpr (std::same_as<T, float>) {
    if (n >= worth_wide_vectors) return copy_run(to, from, n);
    for (; i + 16 <= n; i += 16) {
      const __m128 a = _mm_loadu_ps(from + i), b = _mm_loadu_ps(from + i + 4);
      const __m128 c = _mm_loadu_ps(from + i + 8), d = _mm_loadu_ps(from + i + 12);
      _mm_storeu_ps(to + i, a);
      _mm_storeu_ps(to + i + 4, b);
      _mm_storeu_ps(to + i + 8, c);
      _mm_storeu_ps(to + i + 12, d);
    }
    for (; i + 4 <= n; i += 4) _mm_storeu_ps(to + i, _mm_loadu_ps(from + i));
  }
#endif
  for (; i < n; ++i) store_relaxed(to[i], load_relaxed(from[i]));
}

}  // namespace detail

/// A dense run of parameters, read element by element while others may write.
template <parameter T>
class block_reader {
 public:
  block_reader(T* data, std::size_t size) : data_(data), size_(size) {}
  std::size_t size() const { return size_; }
  T operator[](std::size_t i) const { return std::atomic_ref<T>(data_[i]).load(std::memory_order_relaxed); }
  /// Copies the run; `out` has size() elements. Elements may be of different ages.
  void copy_to(std::span<T> out) const {
    assert(out.size() == size_);
    detail::copy_parameters(data_, out.data(), size_);
  }

 private:
  T* data_;
  std::size_t size_;
};

/// Read access to the parameters for a model: it can read them while others write, and cannot write.
template <parameter T>
class param_reader {
 public:
  using value_type = T;
  param_reader(T* data, std::size_t size) : data_(data), size_(size) {}
  std::size_t size() const { return size_; }
  T operator[](std::size_t j) const {
    assert(j < size_);
    return std::atomic_ref<T>(data_[j]).load(std::memory_order_relaxed);
  }
  block_reader<T> block(std::size_t offset, std::size_t n) const {
    assert(offset + n <= size_);
    return {data_ + offset, n};
  }
  /// Prefetches a run that will soon be read and added to.
  void announce(std::size_t offset, std::size_t n) const {
    assert(offset + n <= size_);
    constexpr std::size_t line = 64 / sizeof(T);
    for (std::size_t i = 0; i < n; i += line) __builtin_prefetch(data_ + offset + i, 1);
  }

 private:
  T* data_;
  std::size_t size_;
};

/// A non-owning, trivially copied view through which any number of workers read and add at the same time. The Update
/// policy defines what an add promises; see update_policy.hpp. The memory must outlive the view.
template <parameter T, class Update = update::lossy>
class param_view {
  static_assert(std::atomic_ref<T>::required_alignment <= alignof(T), "parameters are used at their natural alignment");

 public:
  using value_type = T;
  using update_type = Update;

  explicit param_view(std::span<T> values, Update update = {}) : param_view(values.data(), values.size(), update) {}
  param_view(T* data, std::size_t size, Update update = {}) : data_(data), size_(size), update_(update) {}

  std::size_t size() const { return size_; }
  param_reader<T> reader() const { return {data_, size_}; }

  T load(std::size_t j) const {
    assert(j < size_);
    return std::atomic_ref<T>(data_[j]).load(std::memory_order_relaxed);
  }

  /// Overwrites one element: for initialisation, gates and projections, not for steps.
  void store(std::size_t j, T value) const {
    assert(j < size_);
    std::atomic_ref<T>(data_[j]).store(value, std::memory_order_relaxed);
  }

  void add(std::size_t j, T delta) const { read_add(j, delta); }

  /// Makes this worker's earlier adds visible to the others before any later read. A lossy add loses what others add
  /// between its read and the moment its store becomes visible. If workers crowd on a few cache lines, a processor that
  /// reads ahead and delays stores extends that time to a whole row.
  void settle_adds() const {
    // ThreadSanitizer does not support fences, and does not need this one: it hands over no value.
#if !defined(HOGWILD_THREAD_SANITIZER)
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }

  /// Adds, and returns the value that the add started from.
  T read_add(std::size_t j, T delta) const {
    assert(j < size_);
    const std::atomic_ref<T> cell(data_[j]);
    if constexpr (Update::kind == update_kind::exact) {
      return cell.fetch_add(delta, std::memory_order_relaxed);
    } else if constexpr (Update::kind == update_kind::locked) {
      update_.locks.lock(j);
      const T before = cell.load(std::memory_order_relaxed);
      cell.store(before + delta, std::memory_order_relaxed);
      update_.locks.unlock(j);
      return before;
    } else {
      const T before = cell.load(std::memory_order_relaxed);
      cell.store(before + delta, std::memory_order_relaxed);
      return before;
    }
  }

  /// Copies a dense run; elements may be of different ages.
  void load_block(std::size_t offset, std::span<T> out) const {
    assert(offset + out.size() <= size_);
    detail::copy_parameters(data_ + offset, out.data(), out.size());
  }

  /// Overwrites a dense run: for a worker that is the only one to add to it at the moment.
  void store_block(std::size_t offset, std::span<const T> in) const {
    assert(offset + in.size() <= size_);
    detail::copy_parameters(in.data(), data_ + offset, in.size());
  }

  /// Adds `gain_weight` times the gains of a worker's replica of the run at `offset` to the shared run, and takes over
  /// the others' gains:
  ///
  ///   gain = work - base;  shared += gain_weight * gain;  work = base = shared
  ///
  /// `work` and `base` belong to the calling worker; base holds the shared values that it saw last. Nobody waits. If
  /// nobody else has changed a value since, it becomes `work` itself, so that a single worker loses no bit.
  void exchange(std::size_t offset, std::span<T> work, std::span<T> base, T gain_weight) const {
    meet<true>(offset, work, base, gain_weight);
  }
  /// Half an exchange: adds the gains to the shared values; work and base do not change.
  void send(std::size_t offset, std::span<T> work, std::span<T> base, T gain_weight) const {
    meet<false>(offset, work, base, gain_weight);
  }
  /// The other half, without a gain to send: work = base = shared.
  void fetch(std::size_t offset, std::span<T> work, std::span<T> base) const {
    assert(offset + work.size() <= size_ && work.size() == base.size());
    std::size_t i = 0;
#if defined(HOGWILD_VECTOR_EXCHANGE)
    if constexpr (std::same_as<T, float>) {
      for (; i + 4 <= work.size(); i += 4) {
        const __m128 now = _mm_loadu_ps(data_ + offset + i);
        _mm_storeu_ps(&work[i], now);
        _mm_storeu_ps(&base[i], now);
      }
    }
#endif
    for (; i < work.size(); ++i) work[i] = base[i] = load(offset + i);
  }

  // add_block() takes four elements at a time, although processors have wider vectors: AVX-512 added up cached runs up
  // to four times as fast, but adam on dense layers, which adds such runs, took a fifth longer. The scaled runs are the
  // steps of sgd: rows of words and factors, which have just been used and are in a cache.

  /// Adds to a dense run, element by element.
  void add_block(std::size_t offset, std::span<const T> delta) const {
    assert(offset + delta.size() <= size_);
    std::size_t i = 0;
#if defined(HOGWILD_VECTOR_EXCHANGE)
    if constexpr (std::same_as<T, float> && Update::kind == update_kind::lossy) {
      for (; i + 4 <= delta.size(); i += 4) {
        float* const cell = data_ + offset + i;
        _mm_storeu_ps(cell, _mm_add_ps(_mm_loadu_ps(cell), _mm_loadu_ps(&delta[i])));
      }
    }
#endif
    for (; i < delta.size(); ++i) add(offset + i, delta[i]);
  }

  /// Adds `factor` times a dense run, element by element.
  void add_scaled_block(std::size_t offset, std::span<const T> run, T factor) const {
    assert(offset + run.size() <= size_);
    std::size_t i = 0;
#if defined(HOGWILD_VECTOR_EXCHANGE)
    if constexpr (std::same_as<T, float> && Update::kind == update_kind::lossy) {
      if (run.size() >= detail::worth_wide_vectors)
        return detail::add_scaled_run(data_ + offset, run.data(), run.size(), factor);
      const __m128 f = _mm_set1_ps(factor);
      const auto four = [&](std::size_t k) {
        float* const cell = data_ + offset + k;
        _mm_storeu_ps(cell, _mm_add_ps(_mm_loadu_ps(cell), _mm_mul_ps(f, _mm_loadu_ps(&run[k]))));
      };
      for (; i + 16 <= run.size(); i += 16) {
        four(i);
        four(i + 4);
        four(i + 8);
        four(i + 12);
      }
      for (; i + 4 <= run.size(); i += 4) four(i);
    }
#endif
    for (; i < run.size(); ++i) add(offset + i, factor * run[i]);
  }

 private:
  template <bool Fetch>
  void meet(std::size_t offset, std::span<T> work, std::span<T> base, T gain_weight) const {
    assert(offset + work.size() <= size_ && work.size() == base.size());
    std::size_t i = 0;
#if defined(HOGWILD_VECTOR_EXCHANGE)
    if constexpr (std::same_as<T, float> && Update::kind == update_kind::lossy) {
      for (; i + 4 <= work.size(); i += 4) meet_four<Fetch>(data_ + offset + i, &work[i], &base[i], gain_weight);
    }
#endif
    for (; i < work.size(); ++i) {
      const std::atomic_ref<T> cell(data_[offset + i]);
      const T gain = work[i] - base[i];
      T now;
      if (gain == T(0)) {
        now = cell.load(std::memory_order_relaxed);
      } else if constexpr (Update::kind == update_kind::exact) {
        T seen = cell.load(std::memory_order_relaxed);
        do {
          now = gain_weight == T(1) && seen == base[i] ? work[i] : seen + gain_weight * gain;
        } while (!cell.compare_exchange_weak(seen, now, std::memory_order_relaxed));
      } else {
        const T seen = cell.load(std::memory_order_relaxed);
        now = gain_weight == T(1) && seen == base[i] ? work[i] : seen + gain_weight * gain;
        cell.store(now, std::memory_order_relaxed);
      }
      if constexpr (Fetch) work[i] = base[i] = now;
    }
  }

#if defined(HOGWILD_VECTOR_EXCHANGE)
  /// Four elements of a lossy exchange at once, with the same results if nobody else writes meanwhile. An element
  /// without a gain is written back as it was read if a neighbour has one, so others' adds to it at that moment are
  /// lost. On machines that have these instructions, a vector access tears no aligned element, like an access to one
  /// element.
  template <bool Fetch>
  static void meet_four(float* shared, float* work, float* base, float gain_weight) {
    const __m128 mine = _mm_loadu_ps(work), seen = _mm_loadu_ps(base), theirs = _mm_loadu_ps(shared);
    const __m128 gain = _mm_sub_ps(mine, seen);
    const __m128 gained = _mm_cmpneq_ps(gain, _mm_setzero_ps());
    __m128 now = theirs;
    if (_mm_movemask_ps(gained) != 0) {
      const __m128 sum = _mm_add_ps(theirs, _mm_mul_ps(_mm_set1_ps(gain_weight), gain));
      const __m128 untouched = gain_weight == 1.0f ? _mm_cmpeq_ps(theirs, seen) : _mm_setzero_ps();
      const __m128 sent = _mm_or_ps(_mm_and_ps(untouched, mine), _mm_andnot_ps(untouched, sum));
      now = _mm_or_ps(_mm_and_ps(gained, sent), _mm_andnot_ps(gained, theirs));
      _mm_storeu_ps(shared, now);
    }
    if constexpr (Fetch) {
      _mm_storeu_ps(work, now);
      _mm_storeu_ps(base, now);
    }
  }
#endif

  T* data_;
  std::size_t size_;
  [[no_unique_address]] Update update_;
};

}  // namespace hogwild
