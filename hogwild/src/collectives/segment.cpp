// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/segment.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/error.hpp>

#include "memory_collective.hpp"

namespace hogwild {

segment_group_layout::segment_group_layout(const segment_group_shape& shape) {
  constexpr std::size_t line = 128, page = 4096;
  detail::check_rank(0, shape.members);
  if (shape.window_bytes < line) {
    throw config_error("windows of " + std::to_string(shape.window_bytes) + " bytes are too short; give " +
                       std::to_string(line) + " or more");
  }
  const auto up = [](std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; };
  place = 0;
  members = up(sizeof(detail::meeting_place), line);
  windows = up(members + shape.members * sizeof(detail::group_member), line);
  // Windows are read side by side, so they must not fall on the same cache sets.
  window_stride = up(shape.window_bytes, page) + 2 * line;
  total = windows + shape.members * window_stride;
}

std::unique_ptr<collective> join_segment_group(std::span<std::byte> shared, std::size_t offset,
                                               const segment_group_shape& shape, std::size_t rank,
                                               const collective_options& options) {
  const segment_group_layout layout(shape);
  detail::check_rank(rank, shape.members);
  if (offset > shared.size() || shared.size() - offset < layout.total) {
    throw config_error("a group of " + std::to_string(shape.members) + " processes needs " +
                       std::to_string(layout.total) + " bytes from offset " + std::to_string(offset) +
                       ", and the shared memory has " + std::to_string(shared.size()) + "; make it larger");
  }
  std::byte* const region = shared.data() + offset;
  if (reinterpret_cast<std::uintptr_t>(region) % 128 != 0) {
    throw config_error("the region of a group of processes begins at offset " + std::to_string(offset) +
                       "; it must begin on a multiple of 128 bytes");
  }
  // Zero bytes are a valid state of these types, which have neither constructors nor pointers.
  const detail::common_memory memory{
      .place = reinterpret_cast<detail::meeting_place*>(region + layout.place),
      .members = {reinterpret_cast<detail::group_member*>(region + layout.members), shape.members},
      .shared = shared,
      .window = {region + layout.windows + rank * layout.window_stride, shape.window_bytes}};
  return std::make_unique<detail::memory_collective>(memory, rank, options);
}

std::string segment_group_failure(std::span<const std::byte> shared, std::size_t offset) {
  const auto& place = *reinterpret_cast<const detail::meeting_place*>(shared.data() + offset);
  if (place.explained.load() == 0) return {};
  return {place.reason.data(), std::find(place.reason.begin(), place.reason.end(), '\0')};
}

}  // namespace hogwild
