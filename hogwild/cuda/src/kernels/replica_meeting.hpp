// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/detail/platform/device_code.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild::device {

/// The exchange of a replica with the shared parameters, named as the functions of param_view.
enum class meeting_kind : std::uint32_t { fetch, exchange, send };

/// An exchange of a replica's parameters with the shared ones: the arguments of one kernel launch. Meanwhile other
/// devices may read and add to the shared ones; nobody else uses the replica's.
struct replica_meeting {
  float* shared = nullptr;  ///< in the memory of this device or of one that it can access
  float* work = nullptr;    ///< the replica's
  float* base = nullptr;    ///< their values at the last exchange
  std::uint64_t count = 0;
  float gain_weight = 1;
  meeting_kind kind = meeting_kind::exchange;
  update_kind update = update_kind::lossy;  ///< not locked

  std::uint32_t rows_in_flight = 1;  ///< warps, called as in rows_kernel.hpp
  std::uint64_t* updates = nullptr;  ///< no rows are counted
};

/// The consecutive parameters that one of several parts of the work covers.
struct replica_piece {
  std::uint64_t first, count;
};
HOGWILD_DEVICE_CODE inline replica_piece piece_of(std::uint64_t count, std::uint64_t part, std::uint64_t parts) {
  const std::uint64_t most = ((count - 1) / parts / warp_width + 1) * warp_width;
  const std::uint64_t first = part * most < count ? part * most : count;
  return {first, most < count - first ? most : count - first};
}

/// As many warps as `count` parameters need, up to what fills a large device.
inline std::uint32_t warps_for(std::uint64_t count) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count / warp_width, 1, 4096));
}

/// The host form and the device form, like train_margin_rows() and launch_margin_rows(); the host form is param_view's.
/// The device form may lose a gain's last bit if nobody else has changed the shared value since: both then hold that
/// value plus the gain. Both throw std::invalid_argument for locked updates.
void meet_replica(const replica_meeting& work, std::size_t part, std::size_t parts);
int launch_replica_meeting(const replica_meeting& work, void* stream);

}  // namespace hogwild::device
