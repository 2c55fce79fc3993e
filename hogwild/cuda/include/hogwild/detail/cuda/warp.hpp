// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include <hogwild/detail/platform/device_code.hpp>

// A warp: lanes that train one row together. A kernel's work on a row is a template over one of these two types, so
// that one source serves a GPU, where each lane is a thread, and the CPU, where one thread is all lanes and goes from
// phase to phase. Both add in the same order: a warp that trains alone gets the same bits from both, unless the
// compiler fuses multiplications and additions.

namespace hogwild::device {

inline constexpr unsigned warp_width = 32;

/// One thread as all lanes.
struct host_warp {
  /// A number for each lane, zero at first.
  template <class T>
  struct each_lane {
    T value[warp_width]{};
    HOGWILD_DEVICE_CODE T& operator[](unsigned lane) { return value[lane]; }
  };

  /// Calls f(lane) for each lane.
  template <class F>
  HOGWILD_DEVICE_CODE void each(const F& f) const {
    for (unsigned lane = 0; lane < warp_width; ++lane) f(lane);
  }
  /// Calls f(lane) only for the first lane.
  template <class F>
  HOGWILD_DEVICE_CODE void first(const F& f) const {
    f(0u);
  }
  /// Calls f(lane, k) for k < n: neighbouring k go to neighbouring lanes.
  template <class F>
  HOGWILD_DEVICE_CODE void deal(std::uint32_t n, const F& f) const {
    std::uint32_t k = 0;
    for (; n - k >= warp_width; k += warp_width) {
      for (unsigned lane = 0; lane < warp_width; ++lane) f(lane, k + lane);
    }
    for (unsigned lane = 0; k < n; ++k, ++lane) f(lane, k);
  }
  /// The same by f(lane, piece, k), with k in that piece of warp_width. `n` is at most Pieces * warp_width, and each
  /// piece is compiled separately; Pieces = 0: any n, and piece is always 0.
  template <unsigned Pieces, class F>
  HOGWILD_DEVICE_CODE void deal_pieces(std::uint32_t n, const F& f) const {
    if constexpr (Pieces == 0) {
      deal(n, [&](unsigned lane, std::uint32_t k) { f(lane, 0u, k); });
    } else {
      for (unsigned piece = 0; piece < Pieces; ++piece) {
        const std::uint32_t begin = piece * warp_width, end = begin + warp_width < n ? begin + warp_width : n;
        for (std::uint32_t k = begin; k < end; ++k) f(k - begin, piece, k);
      }
    }
  }
  /// The sum over all lanes, for all of them.
  template <class T>
  HOGWILD_DEVICE_CODE T sum(each_lane<T> x) const {
    for (unsigned half_width = warp_width / 2; half_width > 0; half_width /= 2) {
      for (unsigned lane = 0; lane < half_width; ++lane) x[lane] += x[lane + half_width];
    }
    return x[0];
  }
  /// The sums over lanes that are a multiple of `span` apart, a power of two: each lane gets the sum that includes its
  /// own.
  HOGWILD_DEVICE_CODE each_lane<float> sum_apart(each_lane<float> x, unsigned span) const {
    for (unsigned half_width = warp_width / 2; half_width >= span; half_width /= 2) {
      const each_lane<float> before = x;
      for (unsigned lane = 0; lane < warp_width; ++lane) x[lane] += before.value[lane ^ half_width];
    }
    return x;
  }
  /// The largest number of all lanes, for all of them.
  HOGWILD_DEVICE_CODE float most(const each_lane<float>& x) const {
    float largest = x.value[0];
    for (const float other : x.value) largest = other > largest ? other : largest;
    return largest;
  }
  /// One lane's number, for all of them.
  HOGWILD_DEVICE_CODE float from(unsigned lane, const each_lane<float>& x) const { return x.value[lane]; }
  /// Makes earlier writes of all lanes visible to all lanes.
  HOGWILD_DEVICE_CODE void settle() const {}
};

/// The host form of a launch: train(work, changed) trains a part of it on the calling thread, and sets how many rows
/// changed something, which is added to the work's `updates`. A CPU has a single scope, so the work asks for no other.
/// Threads may run several parts at the same time.
template <class Work, class Train>
void train_on_host(const Work& work, const Train& train) {
  Work in_scope = work;
  in_scope.system_scope = false;
  std::uint64_t changed = 0;
  train(in_scope, changed);
  if (work.updates != nullptr) std::atomic_ref<std::uint64_t>(*work.updates) += changed;
}

#if defined(__CUDACC__) || defined(HOGWILD_SIMT)

/// The warp that the calling thread belongs to. Either all of its lanes call sum(), sum_apart(), most(), from() and
/// settle(), or none does.
struct device_warp {
  template <class T>
  struct each_lane {
    T value{};
    HOGWILD_DEVICE_CODE T& operator[](unsigned) { return value; }
  };

  __device__ static unsigned lane() { return threadIdx.x % warp_width; }

  template <class F>
  __device__ void each(const F& f) const {
    f(lane());
  }
  template <class F>
  __device__ void first(const F& f) const {
    if (lane() == 0) f(0u);
  }
  template <class F>
  __device__ void deal(std::uint32_t n, const F& f) const {
    const unsigned self = lane();
    for (std::uint32_t k = self; k < n; k += warp_width) f(self, k);
  }
  template <unsigned Pieces, class F>
  __device__ void deal_pieces(std::uint32_t n, const F& f) const {
    const unsigned self = lane();
    if constexpr (Pieces == 0) {
      for (std::uint32_t k = self; k < n; k += warp_width) f(self, 0u, k);
    } else {
      for (unsigned piece = 0; piece < Pieces; ++piece) {
        const std::uint32_t k = piece * warp_width + self;
        if (k < n) f(self, piece, k);
      }
    }
  }
  template <class T>
  __device__ T sum(each_lane<T> x) const {
    for (unsigned half_width = warp_width / 2; half_width > 0; half_width /= 2) {
      x.value += __shfl_xor_sync(0xffffffffu, x.value, static_cast<int>(half_width));
    }
    return x.value;
  }
  __device__ each_lane<float> sum_apart(each_lane<float> x, unsigned span) const {
    for (unsigned half_width = warp_width / 2; half_width >= span; half_width /= 2) {
      x.value += __shfl_xor_sync(0xffffffffu, x.value, static_cast<int>(half_width));
    }
    return x;
  }
  __device__ float most(each_lane<float> x) const {
    for (unsigned half_width = warp_width / 2; half_width > 0; half_width /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, x.value, static_cast<int>(half_width));
      x.value = other > x.value ? other : x.value;
    }
    return x.value;
  }
  __device__ float from(unsigned lane, each_lane<float> x) const {
    return __shfl_sync(0xffffffffu, x.value, static_cast<int>(lane));
  }
  __device__ void settle() const { __syncwarp(); }
};

#endif

}  // namespace hogwild::device
