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

/// The entries of a mapped file that is larger than its memory: they are read from the disk before rows are trained on
/// and dropped afterwards, except those of the first rows, which stay. Any number of threads may use it at once.
class row_stream {
 public:
  /// Null if the file is not larger than `memory`; by default three quarters of what this process may use.
  static std::unique_ptr<row_stream> of(std::span<const std::byte> file, int fd, const cache_arrays& arrays,
                                        std::optional<std::uint64_t> memory);

  /// Starts to read rows [first, last) without waiting.
  void announce(std::size_t first, std::size_t last) const;
  /// Waits until the rows are in memory, and counts the time.
  void await(std::size_t first, std::size_t last) const;
  /// The rows are not needed for now. Pages that others still read stay mapped there.
  void release(std::size_t first, std::size_t last) const;

  /// Seconds that threads of this process have spent in await(), summed over threads: they waited for the disk, and
  /// mapped pages, which takes about a microsecond for 16 KiB.
  double waited() const { return 1e-9 * static_cast<double>(waited_ns_.load(std::memory_order_relaxed)); }
  /// Whether these rows are few enough to be awaited at once.
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
