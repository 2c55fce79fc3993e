// SPDX-License-Identifier: Apache-2.0
#include "half_replica.hpp"

#include <algorithm>

#include <hogwild/detail/cuda/warp.hpp>

#include "kernels/half_copies.hpp"

namespace hogwild::device {

half_replica::half_replica(runtime& device, float* values, std::size_t count)
    : device_(device), values_(values), count_(count), halves_(device, count / 2) {}

void half_replica::begin(std::size_t first, std::size_t count) const {
#if defined(HOGWILD_HAS_CUDA)
  run(first, count, round_to_halves, launch_round_to_halves);
#else
  run(first, count, round_to_halves, nullptr);
#endif
}

void half_replica::take_gains(std::size_t first, std::size_t count) const {
#if defined(HOGWILD_HAS_CUDA)
  run(first, count, add_gains_of_halves, launch_add_gains_of_halves);
#else
  run(first, count, add_gains_of_halves, nullptr);
#endif
}

template <class OnHost, class OnDevice>
void half_replica::run(std::size_t first, std::size_t count, OnHost on_host,
                       [[maybe_unused]] OnDevice on_device) const {
  const std::size_t end = std::min(first + count, count_);
  if (first >= end) return;
  half_copy_work work{.values = values_ + first, .halves = halves_.data() + first / 2, .pairs = (end - first) / 2};
  // As many warps as any device can hold.
  constexpr std::uint64_t most = 16'384;
  work.rows_in_flight = static_cast<std::uint32_t>(std::min((work.pairs - 1) / warp_width + 1, most));
  kernel_launch launch{.warps = work.rows_in_flight,
                       .on_host = [=](std::size_t part, std::size_t parts) { on_host(work, part, parts); }};
#if defined(HOGWILD_HAS_CUDA)
  launch.on_device = [=](void* stream) { return on_device(work, stream); };
#endif
  device_.run(launch);
}

}  // namespace hogwild::device
