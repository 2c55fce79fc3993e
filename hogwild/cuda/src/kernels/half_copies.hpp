// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "half_pairs.hpp"

namespace hogwild::device {

/// Floats, and as many halves that are trained in their place. All pointers are the device's; nobody else uses them
/// while a kernel does.
struct half_copy_work {
  float* values = nullptr;  ///< as the halves began
  half_pair* halves = nullptr;
  std::uint64_t pairs = 0;
  std::uint32_t rows_in_flight = 1;  ///< warps that work at once, at least 1
  std::uint64_t* updates = nullptr;  ///< stays null: nothing is trained
};

/// The halves become the values, rounded to nearest. The host form, of part `part` of `parts` on the calling thread,
/// and the device form, as train_factor_rows() and launch_factor_rows().
void round_to_halves(const half_copy_work& work, std::size_t part, std::size_t parts);
int launch_round_to_halves(const half_copy_work& work, void* stream);

/// The values gain what the halves have gained since they were rounded from them: value += half - rounded(value), so
/// that what the rounding has taken is no gain. Both forms.
void add_gains_of_halves(const half_copy_work& work, std::size_t part, std::size_t parts);
int launch_add_gains_of_halves(const half_copy_work& work, void* stream);

}  // namespace hogwild::device
