// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hogwild/option_values.hpp>

#include "runtime.hpp"

namespace hogwild::bench {

/// The largest rates that a device reaches.
struct ceilings {
  double copied_bytes = 0;  ///< a second, read and written ones together
  /// Adds a second to random floats among as many as the weights of a text model, which stay in a device's cache; and
  /// to a single float.
  double scattered_adds_lossy = 0, scattered_adds_exact = 0, adds_to_one_lossy = 0, adds_to_one_exact = 0;
  double row_seconds = 0;  ///< of a row of latency_row_entries by one warp, one row after the other
};

inline constexpr std::size_t text_model_floats = 47'236;

/// Warps that a device can hold at once: a launch that wants all of it asks for these.
std::uint32_t most_warps(const device::device_facts& facts);

/// Seconds of one launch: launches are queued until they take `least` seconds together; the best of three such turns.
/// Throws the device's errors.
double seconds_of(device::runtime& device, const device::kernel_launch& launch, double least);

/// `bytes`: of each array that is copied. Each measurement takes `least` seconds or more. Throws std::logic_error if a
/// kernel's result is wrong.
ceilings measure_ceilings(device::runtime& device, std::size_t bytes, double least);

}  // namespace hogwild::bench
