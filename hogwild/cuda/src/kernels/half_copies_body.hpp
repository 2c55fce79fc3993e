// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/detail/platform/device_code.hpp>

#include "half_copies.hpp"

// How a warp copies to halves and adds their gains (half_copies.hpp): warp k of n has the pairs [32 k, 32 k + 32), and
// so on in strides of 32 n.

namespace hogwild::device {

struct half_copy_part {
  struct no_model {};

  /// Calls f(k) for the part's pairs, each on one lane.
  template <class Warp, class F>
  HOGWILD_DEVICE_CODE static void each_pair(const Warp& warp, const half_copy_work& work, std::uint64_t part,
                                            std::uint64_t parts, const F& f) {
    for (std::uint64_t begin = part * warp_width; begin < work.pairs; begin += parts * warp_width) {
      warp.each([&](unsigned lane) {
        if (begin + lane < work.pairs) f(begin + lane);
      });
    }
  }
};

struct round_part : half_copy_part {
  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const half_copy_work& work, no_model,
                                                 std::uint64_t part, std::uint64_t parts) {
    each_pair(warp, work, part, parts,
              [&](std::uint64_t k) { work.halves[k] = to_half_pair(work.values[2 * k], work.values[2 * k + 1]); });
    return 0;
  }
};

struct gain_part : half_copy_part {
  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const half_copy_work& work, no_model,
                                                 std::uint64_t part, std::uint64_t parts) {
    each_pair(warp, work, part, parts, [&](std::uint64_t k) {
      float* const values = work.values + 2 * k;
      const half_pair began = to_half_pair(values[0], values[1]), now = work.halves[k];
      for (unsigned which = 0; which < 2; ++which) values[which] += number_of(now, which) - number_of(began, which);
    });
    return 0;
  }
};

}  // namespace hogwild::device
