// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "functions.hpp"
#include "runtime.hpp"

namespace hogwild::bench {

/// Seconds of one sum over all ranks of so many floats in the host's memory, including copies to the devices and back.
struct sum_seconds {
  std::size_t ranks = 0, floats = 0;
  double in_rank_order = 0;  ///< by --collective nccl
  double by_nccl = 0;        ///< by ncclAllReduce, whose order of adding is not fixed
};

/// Opens the device of a rank, on the thread that uses it.
using open_function = std::function<std::unique_ptr<device::runtime>(std::size_t rank)>;

/// Measures both sums for at least `least` seconds each, by ranks that are threads, once the first sums are right.
/// Ranks wait for each other for at most `timeout`. Throws an error of any rank, and error if a sum is not right.
sum_seconds measure_sums(const nccl::functions& with, const open_function& open, std::size_t ranks, std::size_t floats,
                         double least, std::chrono::nanoseconds timeout = std::chrono::minutes(1));

}  // namespace hogwild::bench
