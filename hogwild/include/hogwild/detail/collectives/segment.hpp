// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild {

/// How large a group of processes is, the same number for all of them.
struct segment_group_shape {
  std::size_t members = 1;
  /// Each member's window in the segment, through which numbers pass that lie elsewhere. It need not hold a whole
  /// array: more is passed in pieces, and those that fit into a core's cache are the fastest.
  std::size_t window_bytes = 256 * 1024;
};

/// Where what such a group shares lies, in bytes from the begin of its region. It holds no pointers, and zero bytes are
/// a group that nobody has joined.
///
///     segment of the caller:  | header, ... | region: meeting place | members | windows | ... gradients, if it likes |
struct segment_group_layout {
  std::size_t place, members, windows, window_stride, total;

  /// Throws config_error where there are no members, or windows shorter than a cache line.
  explicit segment_group_layout(const segment_group_shape& shape);
};

/// Takes the place of `rank` in a group of processes. `shared` is memory that every member maps, at whatever address,
/// and the region begins `offset` bytes into it, on a multiple of 128; only the group writes there, and it is zero
/// before the first one joins. Spans that lie in `shared` are used where they are; all others pass through windows.
///
/// A member that is killed is noticed by those who wait for it, within about 20 ms. A group that has lost a member
/// stays broken: the next one needs a region of zeros. Throws config_error where rank, shape and memory do not fit or
/// the rank has been taken.
std::unique_ptr<collective> join_segment_group(std::span<std::byte> shared, std::size_t offset,
                                               const segment_group_shape& shape, std::size_t rank,
                                               const collective_options& options = {});

/// Why the group whose region begins there was broken off, in the sentence that its members throw; "" while it is
/// whole. Any process that maps the memory may ask.
std::string segment_group_failure(std::span<const std::byte> shared, std::size_t offset);

}  // namespace hogwild
