// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include <hogwild/detail/cuda/warp.hpp>

#if defined(__CUDACC__) || defined(HOGWILD_SIMT)

namespace hogwild::device {

inline constexpr unsigned most_warps_in_block = 8, most_threads_in_block = most_warps_in_block * warp_width;

/// The fewest blocks that a multiprocessor must have room for, which bounds their registers. If a Body has least_warps,
/// it asks for that many of each 64 warps that a multiprocessor can hold, since only other warps hide waiting for
/// memory; 0: the compiler chooses.
template <class Body>
constexpr unsigned least_blocks() {
#if !defined(__CUDA_ARCH__)
  constexpr unsigned most_threads = 2048;
#elif __CUDA_ARCH__ == 750
  constexpr unsigned most_threads = 1024;
#elif (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1200
  constexpr unsigned most_threads = 1536;
#else
  constexpr unsigned most_threads = 2048;
#endif
  if constexpr (requires { Body::least_warps; })
    return most_threads / 64 * Body::least_warps / most_threads_in_block;
  else
    return 0;
}

/// Each warp trains its part of the work by Body::train. Excess warps of the last block return at once.
template <class Body, class Work, class Model>
__global__ void __launch_bounds__(most_threads_in_block, least_blocks<Body>())
    rows_kernel(const __grid_constant__ Work work, const __grid_constant__ Model model) {
  const std::uint64_t warps_in_block = blockDim.x / warp_width;
  const std::uint64_t part = blockIdx.x * warps_in_block + threadIdx.x / warp_width;
  if (part >= work.rows_in_flight) return;
  const device_warp warp;
  const std::uint64_t changed = Body::train(warp, work, model, part, work.rows_in_flight);
  if (work.updates == nullptr || changed == 0) return;
  warp.first([&](unsigned) {
    static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
    atomicAdd(reinterpret_cast<unsigned long long*>(work.updates), static_cast<unsigned long long>(changed));
  });
}

/// Queues the work on `stream`, a cudaStream_t. Returns CUDA's error code, 0 for none. Throws std::invalid_argument for
/// no rows in flight.
template <class Body, class Work, class Model>
int launch_rows(const Work& work, const Model& model, void* stream) {
  if (work.rows_in_flight == 0) throw std::invalid_argument("no row would be in flight");
  // Few rows in flight are spread over many multiprocessors, of which large devices have between 100 and 200.
  constexpr std::uint32_t spread = 256;
  const unsigned warps_in_block = std::clamp(work.rows_in_flight / spread, 1u, most_warps_in_block);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3((work.rows_in_flight - 1) / warps_in_block + 1);
  config.blockDim = dim3(warps_in_block * warp_width);
  config.stream = static_cast<cudaStream_t>(stream);
  return static_cast<int>(cudaLaunchKernelEx(&config, rows_kernel<Body, Work, Model>, work, model));
}

}  // namespace hogwild::device

#endif
