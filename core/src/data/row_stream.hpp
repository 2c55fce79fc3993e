// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "data/cache_format.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// The entries of a mapped file that is larger than the memory for it: they come from the disk before rows are trained
/// on and go afterwards, but for those of the first rows, which stay. Any number of threads may use it at once.
class row_stream {
 public:
  /// None where the file is not larger than `memory`; by default than three quarters of what this process may use.
  static std::unique_ptr<row_stream> of(std::span<const std::byte> file, int fd, const cache_arrays& arrays,
                                        std::optional<std::uint64_t> memory);

  /// Reading of rows [first, last) begins; nobody waits for it.
  void announce(std::size_t first, std::size_t last) const;
  /// Returns when the rows are there, and counts how long that took.
  void await(std::size_t first, std::size_t last) const;
  /// The rows are needed no more for now. Those that others still read stay where they are.
  void release(std::size_t first, std::size_t last) const;

  /// Seconds that threads of this process have spent in await(), all together: they waited for the disk, and mapped
  /// pages, which takes about a microsecond for 16 KiB.
  double waited() const { return 1e-9 * static_cast<double>(waited_ns_.load(std::memory_order_relaxed)); }
  /// Whether so many rows are no more than may be awaited at once.
  bool is_small(std::size_t first, std::size_t last) const;

 private:
  row_stream(std::span<const std::byte> file, int fd, const cache_arrays& arrays, std::uint64_t memory);
  /// Calls visit(part of the file) for both arrays.
  template <class Visit>
  void for_parts(std::size_t first, std::size_t last, const Visit& visit) const;

  std::span<const std::byte> file_;
  int fd_;
  const cache_arrays& arrays_;
  std::size_t staying_rows_;
  std::uint64_t window_entries_;
  mutable std::atomic<std::uint64_t> waited_ns_{0};
};

}  // namespace hogwild::detail
