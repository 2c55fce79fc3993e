// SPDX-License-Identifier: Apache-2.0
// What a GPU runs, and how it is started. The test of fibers compiles this file as plain C++.
#include "factor_rows.hpp"

#include <algorithm>
#include <stdexcept>

#include <hogwild/detail/cuda/warp.hpp>

#include "factor_body.hpp"

namespace hogwild::device {
namespace {

constexpr unsigned most_factor_warps_in_block = 8;
constexpr unsigned factor_threads = most_factor_warps_in_block * warp_width;

// As many registers as leave room for all threads that a multiprocessor can hold: what waits for memory is hidden by
// them alone.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr unsigned most_factor_blocks = 1024 / factor_threads;
#else
constexpr unsigned most_factor_blocks = 2048 / factor_threads;
#endif

/// Each warp trains its part of the work. Warps past the last one, which fill the last block, go home at once.
template <class Kind>
__global__ void __launch_bounds__(factor_threads, most_factor_blocks)
    factor_kernel(const __grid_constant__ factor_work work) {
  const std::uint64_t warps_in_block = blockDim.x / warp_width;
  const std::uint64_t part = blockIdx.x * warps_in_block + threadIdx.x / warp_width;
  if (part >= work.rows_in_flight) return;
  const device_warp warp;
  const std::uint64_t trained = train_factor_part<Kind>(warp, work, part, work.rows_in_flight);
  if (work.updates == nullptr || trained == 0) return;
  warp.first([&](unsigned) {
    static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
    atomicAdd(reinterpret_cast<unsigned long long*>(work.updates), static_cast<unsigned long long>(trained));
  });
}

}  // namespace

int launch_factor_rows(const factor_work& work, void* stream) {
  if (work.rows_in_flight == 0) throw std::invalid_argument("no rating would be in flight");

  // Few ratings in flight go to many multiprocessors, of which large devices have between 100 and 200.
  constexpr std::uint32_t spread = 256;
  const unsigned warps_in_block = std::clamp(work.rows_in_flight / spread, 1u, most_factor_warps_in_block);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3((work.rows_in_flight - 1) / warps_in_block + 1);
  config.blockDim = dim3(warps_in_block * warp_width);
  config.stream = static_cast<cudaStream_t>(stream);
  cudaError_t error = cudaSuccess;
  with_factor_kind(work, [&](auto kind) { error = cudaLaunchKernelEx(&config, factor_kernel<decltype(kind)>, work); });
  return static_cast<int>(error);
}

}  // namespace hogwild::device
