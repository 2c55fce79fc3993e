// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace hogwild::device
