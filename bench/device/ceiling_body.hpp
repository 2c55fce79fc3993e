// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>

#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/detail/cuda/weights.hpp>

#include "ceiling_kernels.hpp"

// The work of warp `part` of `parts`, for both forms: each kernel is a template over the warp, as for rows of models.

namespace hogwild::bench {

struct no_model {};

struct copy_part {
  static constexpr unsigned least_warps = 64;

  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const ceiling_work& work, const no_model&,
                                                 std::uint64_t part, std::uint64_t parts) {
    constexpr std::uint64_t width = device::warp_width;
    for (std::uint64_t first = part * width; first < work.count; first += parts * width) {
      const std::uint64_t left = work.count - first;
      warp.deal(left < width ? static_cast<std::uint32_t>(left) : device::warp_width,
                [&](unsigned, std::uint32_t k) { work.to[first + k] = work.from[first + k]; });
    }
    return 0;
  }
};

template <update_kind Update>
struct scattered_adds_part {
  static constexpr unsigned least_warps = 64;

  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const ceiling_work& work, const no_model&,
                                                 std::uint64_t part, std::uint64_t parts) {
    const device::weights<Update, device::memory_scope::device> weights(work.weights);
    constexpr std::uint64_t width = device::warp_width;
    for (std::uint64_t first = part * width; first < work.count; first += parts * width) {
      const std::uint64_t left = work.count - first;
      warp.deal(left < width ? static_cast<std::uint32_t>(left) : device::warp_width, [&](unsigned, std::uint32_t k) {
        // Multiples of the golden ratio, whose upper bits select: neighbours are far from each other.
        const std::uint64_t scattered = (first + k) * 0x9e3779b97f4a7c15u;
        weights.add(((scattered >> 32) * work.floats) >> 32, 1.0f);
      });
    }
    return 0;
  }
};

template <update_kind Update>
struct adds_to_one_part {
  static constexpr unsigned least_warps = 64;

  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const ceiling_work& work, const no_model&,
                                                 std::uint64_t part, std::uint64_t parts) {
    const device::weights<Update, device::memory_scope::device> weights(work.weights);
    warp.first([&](unsigned) {
      for (std::uint64_t n = part; n < work.count; n += parts) weights.add(0, 1.0f);
    });
    return 0;
  }
};

struct row_latency_part {
  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const ceiling_work& work, const no_model&,
                                                 std::uint64_t part, std::uint64_t parts) {
    const device::weights<update_kind::lossy, device::memory_scope::device> weights(work.weights);
    for (std::uint64_t r = part; r < work.count; r += parts) {
      const std::uint64_t start = work.start[r];
      typename Warp::template each_lane<float> sums;
      warp.deal(work.entries,
                [&](unsigned lane, std::uint32_t k) { sums[lane] += weights.load(work.index[start + k]); });
      // Weights are never negative, but the compiler does not know that.
      const float delta = warp.sum(sums) >= 0.0f ? 1.0f : 0.0f;
      warp.deal(work.entries, [&](unsigned, std::uint32_t k) { weights.add(work.index[start + k], delta); });
      weights.settle_adds();
      warp.settle();
    }
    return 0;
  }
};

/// Calls f with the body of the kernel. Throws std::invalid_argument for locked updates.
template <class F>
void with_ceiling_part(ceiling_kernel kernel, const ceiling_work& work, const F& f) {
  if (work.update == update_kind::locked) throw std::invalid_argument("a device has no locks");
  const bool exact = work.update == update_kind::exact;
  switch (kernel) {
    case ceiling_kernel::copy:
      return f(copy_part{});
    case ceiling_kernel::scattered_adds:
      return exact ? f(scattered_adds_part<update_kind::exact>{}) : f(scattered_adds_part<update_kind::lossy>{});
    case ceiling_kernel::adds_to_one:
      return exact ? f(adds_to_one_part<update_kind::exact>{}) : f(adds_to_one_part<update_kind::lossy>{});
    case ceiling_kernel::row_latency:
      return f(row_latency_part{});
  }
}

}  // namespace hogwild::bench
