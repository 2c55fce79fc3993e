// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hogwild/option_values.hpp>

#include "runtime.hpp"

namespace hogwild::bench {

/// What a device can do at most of one thing.
struct ceilings {
  double copied_bytes = 0;  ///< a second, those that are read and those that are written
  /// Adds a second to some of as many floats as the weights of a text model, which stay in a device's cache, and to
  /// one.
  double scattered_adds_lossy = 0, scattered_adds_exact = 0, adds_to_one_lossy = 0, adds_to_one_exact = 0;
  double row_seconds = 0;  ///< a row of latency_row_entries by one warp, the next one behind it
};

inline constexpr std::size_t text_model_floats = 47'236;

/// Warps that a device has room for at once: what a launch that wants all of it asks for.
std::uint32_t most_warps(const device::device_facts& facts);

/// Seconds of one launch: launches are queued until they take `least` seconds together; the best of three such turns.
/// Throws what has failed.
double seconds_of(device::runtime& device, const device::kernel_launch& launch, double least);

/// `bytes` of each array that is copied; each measurement takes `least` seconds or more. Throws std::logic_error where
/// a kernel did not do what was measured.
ceilings measure_ceilings(device::runtime& device, std::size_t bytes, double least);

}  // namespace hogwild::bench
