// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "functions.hpp"
#include "runtime.hpp"

namespace hogwild::bench {

/// Seconds of one sum over all ranks of as many floats, which are the host's: copies to the devices and back included.
struct sum_seconds {
  std::size_t ranks = 0, floats = 0;
  double in_rank_order = 0;  ///< by --collective nccl
  double by_nccl = 0;        ///< by ncclAllReduce, which adds in whatever order it likes
};

/// Opens the device of a rank, on the thread that uses it.
using open_function = std::function<std::unique_ptr<device::runtime>(std::size_t rank)>;

/// Of ranks that are threads, each measured for so many seconds at least, once their first sums are right. They wait
/// for each other for the timeout at most. Throws what went wrong in one of them, and error where a sum is not right.
sum_seconds measure_sums(const nccl::functions& with, const open_function& open, std::size_t ranks, std::size_t floats,
                         double least, std::chrono::nanoseconds timeout = std::chrono::minutes(1));

}  // namespace hogwild::bench
