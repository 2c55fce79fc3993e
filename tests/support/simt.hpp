// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Runs the kernels of a .cu file on the CPU, thread by thread: this header first, then the file itself. Each thread of
// a block is a fiber, which gives way where its warp or its block meets; the next one is drawn at random. So code that
// is right only if lanes happen to run in step fails here, and a lane that misses a meeting is an error, not a hang.
// Blocks run one after the other. It cannot find two faults: a lane that relies on a shuffle to see the writes of
// others, which hardware promises only for __syncwarp, and any that depends on the memory order of a device.
//
// One launch at a time, from one thread.

#define HOGWILD_SIMT
#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1) : x(width), y(height), z(depth) {}
};
inline dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace hogwild::simt {

inline constexpr unsigned warp_lanes = 32;

/// Settings of the following launches.
struct settings_type {
  std::uint64_t seed = 1;           ///< for the order in which threads run
  bool leave_out_syncwarp = false;  ///< __syncwarp() does nothing: a fault that tests must find
};
inline settings_type settings;

/// Where threads wait for each other.
struct meeting {
  const char* kind = "";  ///< the call in which they wait
  std::vector<unsigned> waiting;
  std::uint64_t number = 0;
  std::uint64_t value[2][warp_lanes] =
      {};  ///< of the lanes of a shuffle; two in turn suffice: no lane is two meetings behind
};

struct fiber {
  ucontext_t context;
  std::unique_ptr<std::byte[]> stack;
};

struct machine_type {
  std::vector<fiber> fibers;
  std::vector<unsigned> ready;  ///< threads that could go on
  std::vector<meeting> warps;
  meeting block;
  ucontext_t scheduler;
  unsigned current = 0;
  const std::function<void()>* kernel = nullptr;
  std::exception_ptr failure;
};
inline machine_type machine;

inline constexpr std::size_t stack_bytes = std::size_t{256} * 1024;

inline void give_way() {
  ::swapcontext(&machine.fibers[machine.current].context, &machine.scheduler);
}

/// The calling thread waits until `expected` threads have come.
inline void meet(meeting& place, unsigned expected, const char* kind) {
  if (!place.waiting.empty() && std::strcmp(place.kind, kind) != 0)
    throw std::logic_error("thread " + std::to_string(machine.current) + " comes to " + kind +
                           " while others wait at " + place.kind);
  place.kind = kind;
  place.waiting.push_back(machine.current);
  if (place.waiting.size() == expected) {
    machine.ready.insert(machine.ready.end(), place.waiting.begin(), place.waiting.end());
    place.waiting.clear();
    ++place.number;
  }
  give_way();
}

inline meeting& own_warp() {
  return machine.warps[machine.current / warp_lanes];
}

inline void run_thread() {
  try {
    (*machine.kernel)();
  } catch (...) {
    machine.failure = std::current_exception();
  }
  give_way();  // for ever: nothing makes it ready again
}

inline void run_block(std::mt19937_64& random) {
  machine.warps.assign(blockDim.x / warp_lanes, {});
  machine.block = {};
  machine.ready.clear();
  for (unsigned t = 0; t < blockDim.x; ++t) {
    fiber& f = machine.fibers[t];
    if (!f.stack) f.stack = std::make_unique<std::byte[]>(stack_bytes);
    ::getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.get();
    f.context.uc_stack.ss_size = stack_bytes;
    f.context.uc_link = nullptr;
    ::makecontext(&f.context, run_thread, 0);
    machine.ready.push_back(t);
  }
  while (!machine.ready.empty()) {
    std::swap(machine.ready[random() % machine.ready.size()], machine.ready.back());
    machine.current = machine.ready.back();
    machine.ready.pop_back();
    threadIdx.x = machine.current;
    ::swapcontext(&machine.scheduler, &machine.fibers[machine.current].context);
    if (machine.failure) std::rethrow_exception(std::exchange(machine.failure, nullptr));
  }
  std::size_t left = machine.block.waiting.size();
  for (const meeting& warp : machine.warps) left += warp.waiting.size();
  if (left != 0)
    throw std::logic_error(std::to_string(left) + " threads of block " + std::to_string(blockIdx.x) +
                           " wait for others that do not come");
}

/// Runs `kernel` in each thread of the grid. Throws std::logic_error if threads do not meet, and the exception of a
/// thread; the other threads of its block are then abandoned.
inline void launch(const dim3& grid, const dim3& block, const std::function<void()>& kernel) {
  if (block.x == 0 || block.x > 1024 || block.x % warp_lanes != 0 || grid.y != 1 || grid.z != 1 || block.y != 1 ||
      block.z != 1)
    throw std::logic_error("only rows of blocks of 1 to 32 whole warps run here");
  std::mt19937_64 random(settings.seed);
  machine.kernel = &kernel;
  if (machine.fibers.size() < block.x) machine.fibers = std::vector<fiber>(block.x);
  gridDim = grid;
  blockDim = block;
  try {
    for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) run_block(random);
  } catch (...) {
    machine.fibers.clear();  // AddressSanitizer remembers the objects on abandoned stacks
    throw;
  }
}

inline void require_whole_warp(unsigned mask) {
  if (mask != 0xffffffffu) throw std::logic_error("only whole warps meet here");
}

}  // namespace hogwild::simt

inline void __syncwarp(unsigned mask = 0xffffffffu) {
  hogwild::simt::require_whole_warp(mask);
  if (hogwild::simt::settings.leave_out_syncwarp) return;
  hogwild::simt::meet(hogwild::simt::own_warp(), hogwild::simt::warp_lanes, "__syncwarp");
}

inline void __syncthreads() {
  hogwild::simt::meet(hogwild::simt::machine.block, blockDim.x, "__syncthreads");
}

namespace hogwild::simt {

/// All lanes of a warp meet; each gets the value of lane `from`.
template <class T>
T shuffle(unsigned mask, T value, unsigned from, const char* kind) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  require_whole_warp(mask);
  meeting& warp = own_warp();
  std::uint64_t* const values = warp.value[warp.number % 2];
  std::memcpy(&values[threadIdx.x % warp_lanes], &value, sizeof value);
  meet(warp, warp_lanes, kind);
  std::memcpy(&value, &values[from % warp_lanes], sizeof value);
  return value;
}

}  // namespace hogwild::simt

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask) {
  return hogwild::simt::shuffle(mask, value, threadIdx.x ^ static_cast<unsigned>(lane_mask), "__shfl_xor_sync");
}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  return hogwild::simt::shuffle(mask, value, static_cast<unsigned>(lane), "__shfl_sync");
}

template <class T>
T atomicAdd(T* address, T value) {
  return std::exchange(*address, *address + value);
}

// The part of the CUDA runtime that launches kernels.
enum cudaError_t { cudaSuccess = 0 };
using cudaStream_t = void*;
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};
template <class... Expected, class... Actual>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Expected...), const Actual&... actual) {
  hogwild::simt::launch(config->gridDim, config->blockDim, [&] { kernel(actual...); });
  return cudaSuccess;
}
