// SPDX-License-Identifier: Apache-2.0
// What a GPU runs, and how it is started. The test of fibers compiles this file as plain C++.
#include "margin_rows.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "margin_body.hpp"
#include "margin_models.hpp"
#include "warp.hpp"

namespace hogwild::device {
namespace {

constexpr unsigned most_warps_in_block = 8;

/// Each warp trains its part of the work. Warps past the last one, which fill the last block, go home at once.
template <class Kind>
__global__ void __launch_bounds__(most_warps_in_block* warp_width)
    margin_kernel(const __grid_constant__ margin_work work, const __grid_constant__ known_margin_model model) {
  const std::uint64_t warps_in_block = blockDim.x / warp_width;
  const std::uint64_t part = blockIdx.x * warps_in_block + threadIdx.x / warp_width;
  if (part >= work.rows_in_flight) return;
  const device_warp warp;
  const std::uint64_t changed = train_margin_part<Kind>(warp, work, model, part, work.rows_in_flight);
  if (work.updates == nullptr || changed == 0) return;
  warp.first([&](unsigned) {
    static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
    atomicAdd(reinterpret_cast<unsigned long long*>(work.updates), static_cast<unsigned long long>(changed));
  });
}

}  // namespace

int launch_margin_rows(const margin_work& work, std::string_view model, std::span<const std::byte> object,
                       void* stream) {
  const std::optional<known_margin_model> found = known_margin_model::find(model, object);
  if (!found) throw std::invalid_argument("no kernel for the model " + std::string(model));
  if (work.rows_in_flight == 0) throw std::invalid_argument("no row would be in flight");

  // Few rows in flight go to many multiprocessors, of which large devices have between 100 and 200.
  constexpr std::uint32_t spread = 256;
  const unsigned warps_in_block = std::clamp(work.rows_in_flight / spread, 1u, most_warps_in_block);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3((work.rows_in_flight - 1) / warps_in_block + 1);
  config.blockDim = dim3(warps_in_block * warp_width);
  config.stream = static_cast<cudaStream_t>(stream);
  cudaError_t error = cudaSuccess;
  with_margin_kind(
      work, [&](auto kind) { error = cudaLaunchKernelEx(&config, margin_kernel<decltype(kind)>, work, *found); });
  return static_cast<int>(error);
}

}  // namespace hogwild::device
