// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/detail/platform/device_code.hpp>

#include "half_pairs.hpp"

namespace hogwild::device {

/// Floats, and the halves that are trained in their place. All pointers are the device's; nobody else uses them while a
/// kernel does.
struct half_copy_work {
  float* values = nullptr;  ///< from which the halves began
  half_pair* halves = nullptr;
  std::uint64_t pairs = 0;
  std::uint32_t rows_in_flight = 1;  ///< warps that work at once, at least 1
  std::uint64_t* updates = nullptr;  ///< stays null: nothing is trained
};

/// Sets the halves to the values, rounded to nearest. The host form runs part `part` of `parts` on the calling thread;
/// both forms are like train_factor_rows() and launch_factor_rows().
void round_to_halves(const half_copy_work& work, std::size_t part, std::size_t parts);
int launch_round_to_halves(const half_copy_work& work, void* stream);

/// Adds the halves' gains since they were rounded to the values: value += half - rounded(value), so that the rounding
/// itself is no gain. Both forms.
void add_gains_of_halves(const half_copy_work& work, std::size_t part, std::size_t parts);
int launch_add_gains_of_halves(const half_copy_work& work, void* stream);

/// What a warp does: warp k of n has the pairs [32 k, 32 k + 32), and so on in strides of 32 n.
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
