// SPDX-License-Identifier: Apache-2.0
// A row of logistic regression written by hand for a GPU, with which the templates of margin_body.hpp are compared.
// Compiled, never run.

#include <cstdint>

namespace {

__device__ float read(const float* weight) {
  float value;
  asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(value) : "l"(__cvta_generic_to_global(weight)));
  return value;
}

__device__ void write(float* weight, float value) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(weight)), "f"(value));
}

}  // namespace

/// A warp for each row that is in flight; sgd, lossy, without l2.
template <class Index>
__global__ void rows_by_hand(const std::uint64_t* start, const Index* index, const float* value, const float* label,
                             std::uint64_t rows, float* weights, float step) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (blockDim.x / 32);
  for (std::uint64_t r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; r < rows; r += warps) {
    const std::uint64_t begin = start[r];
    const auto size = static_cast<std::uint32_t>(start[r + 1] - begin);
    const Index* const columns = index + begin;
    const float* const values = value + begin;
    float margin = 0.0f;
    for (std::uint32_t k = lane; k < size; k += 32) margin += read(weights + columns[k]) * values[k];
    for (int half = 16; half > 0; half /= 2) margin += __shfl_xor_sync(0xffffffffu, margin, half);
    const float change = step * label[r] / (1.0f + expf(label[r] * margin));
    for (std::uint32_t k = lane; k < size; k += 32) {
      float* const weight = weights + columns[k];
      write(weight, read(weight) + change * values[k]);
    }
    __syncwarp();
  }
}

template __global__ void rows_by_hand<std::uint32_t>(const std::uint64_t*, const std::uint32_t*, const float*,
                                                     const float*, std::uint64_t, float*, float);
template __global__ void rows_by_hand<std::uint16_t>(const std::uint64_t*, const std::uint16_t*, const float*,
                                                     const float*, std::uint64_t, float*, float);
