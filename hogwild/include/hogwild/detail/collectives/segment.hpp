// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild {

/// The size of a group of processes, the same for all of them.
struct segment_group_shape {
  std::size_t members = 1;
  /// Each member's window in the segment, for numbers that lie outside the segment. It need not hold a whole array:
  /// larger arrays pass in pieces, and pieces that fit into a core's cache are the fastest.
  std::size_t window_bytes = 256 * 1024;
};

/// Layout of the memory that such a group shares, in bytes from the beginning of its region. It holds no pointers; zero
/// bytes are a group that nobody has joined.
///
///     segment of the caller:  | header, ... | region: meeting place | members | windows | ... gradients, if it likes |
struct segment_group_layout {
  std::size_t place, members, windows, window_stride, total;

  /// Throws config_error if there are no members, or windows are shorter than a cache line.
  explicit segment_group_layout(const segment_group_shape& shape);
};

/// Joins a group of processes as `rank`. `shared` is memory that every member maps, at any address; the region begins
/// `offset` bytes into it, on a multiple of 128. Only the group writes to the region, which is zero before the first
/// member joins. Spans that lie in `shared` are used in place; all others pass through windows.
///
/// Members that wait notice within about 20 ms that another one was killed. A group that has lost a member stays
/// broken: the next group needs a region of zeros. Throws config_error if rank, shape and memory do not fit, or the
/// rank has been taken.
std::unique_ptr<collective> join_segment_group(std::span<std::byte> shared, std::size_t offset,
                                               const segment_group_shape& shape, std::size_t rank,
                                               const collective_options& options = {});

/// Why the group whose region begins there broke, in the words that its members throw; "" while it is whole. Any
/// process that maps the memory may ask.
std::string segment_group_failure(std::span<const std::byte> shared, std::size_t offset);

}  // namespace hogwild
