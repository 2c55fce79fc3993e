// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <hogwild/option_values.hpp>

#include "runtime.hpp"

namespace hogwild::bench {

/// The unit that a lane copies.
struct alignas(16) quad {
  float value[4];
};

inline constexpr std::uint32_t latency_row_entries = 64;  ///< two for each lane

/// Arguments of one launch of a kernel that measures a ceiling; each kernel reads those marked with its name. All
/// pointers are the device's.
struct ceiling_work {
  const quad* from = nullptr;  ///< copy: `count` quads
  quad* to = nullptr;
  float* weights = nullptr;              ///< `floats` of them, to which kernels add
  std::uint64_t floats = 0;              ///< at most 2^32
  const std::uint32_t* start = nullptr;  ///< row_latency: where each row's columns begin, `entries` of them
  const std::uint32_t* index = nullptr;
  std::uint32_t entries = 0;
  std::uint64_t count = 0;  ///< quads, adds, or rows

  update_kind update = update_kind::lossy;  ///< not locked
  std::uint32_t rows_in_flight = 1;         ///< warps that work at once, at least 1
  std::uint64_t* updates = nullptr;         ///< not counted
};

enum class ceiling_kernel {
  copy,            ///< a quad for each of count, from one array to the other
  scattered_adds,  ///< 1 is added to one of `floats` weights for each of count, neighbouring lanes far from each other
  adds_to_one,     ///< 1 is added to weight 0 for each of count, by the first lane of a warp
  row_latency      ///< count rows one after the other: reads where a row begins, its columns and weights, waits for the
                   ///< sum of these, then adds 1 to each, lossy
};

/// The host form, on the calling thread: the part of warp `part` of `parts`. Threads may run several parts at the same
/// time.
void run_ceiling(ceiling_kernel kernel, const ceiling_work& work, std::size_t part, std::size_t parts);

/// The device form, in programs built with CUDA: queues the work on `stream`, a cudaStream_t. Returns CUDA's error
/// code, 0 for none.
int launch_ceiling(ceiling_kernel kernel, const ceiling_work& work, void* stream);

/// Both forms.
device::kernel_launch ceiling_launch(ceiling_kernel kernel, const ceiling_work& work);

}  // namespace hogwild::bench
