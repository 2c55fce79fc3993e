// SPDX-License-Identifier: Apache-2.0
#include "data/row_stream.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include <hogwild/detail/platform/memory_grant.hpp>

namespace hogwild::detail {
namespace {

/// For smaller files the amount of memory does not matter.
constexpr std::uint64_t always_fits = std::uint64_t{64} << 20;

std::span<const std::byte> pages_around(std::span<const std::byte> part) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t before = begin % page;
  return {part.data() - before, part.size() + before};
}

/// Returns whether the system accepted it.
bool advise(std::span<const std::byte> part, int advice) {
  const std::span<const std::byte> pages = pages_around(part);
  return ::madvise(const_cast<std::byte*>(pages.data()), pages.size(), advice) == 0;
}

void read_in(std::span<const std::byte> part) {
#ifdef MADV_POPULATE_READ
  if (advise(part, MADV_POPULATE_READ)) return;
#endif
  // Older kernels do not support it.
  for (std::size_t k = 0; k < part.size(); k += 4096)
    static_cast<void>(*const_cast<const volatile std::byte*>(&part[k]));
}

}  // namespace

std::unique_ptr<row_stream> row_stream::of(std::span<const std::byte> file, int fd, const cache_arrays& arrays,
                                           std::optional<std::uint64_t> memory) {
  if (!memory) {
    if (file.size() <= always_fits) return nullptr;
    const std::uint64_t usable = usable_memory();
    if (usable == 0) return nullptr;
    memory = usable / 4 * 3;
  }
  if (file.size() <= *memory) return nullptr;
  // A memory file is not on a disk: releasing its pages would not help.
  if (::fcntl(fd, F_GET_SEALS) >= 0) return nullptr;
  return std::unique_ptr<row_stream>(new row_stream(file, fd, arrays, *memory));
}

row_stream::row_stream(std::span<const std::byte> file, int fd, const cache_arrays& arrays, std::uint64_t memory)
    : file_(file), fd_(fd), arrays_(arrays) {
  const std::uint64_t entry = arrays.header.index_bytes + arrays.header.value_bytes;
  // Half of the memory is for rows that stay: with chunks in random order, all others would be evicted before they are
  // used again.
  const std::uint64_t staying = memory / 2 / entry;
  window_entries_ = std::max(memory / 8, std::uint64_t{1} << 20) / entry;
  std::size_t begin = 0, end = arrays.header.rows;
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (arrays.row_start[middle + 1] <= staying)
      begin = middle + 1;
    else
      end = middle;
  }
  staying_rows_ = begin;
  // Reads that were not announced are small. The kernel's read-ahead would fetch megabytes around them, which belong to
  // other chunks, and huge pages could not be released in part.
  advise(file, MADV_NOHUGEPAGE);
  advise(file, MADV_RANDOM);
}

template <class Visit>
void row_stream::for_parts(std::size_t first, std::size_t last, const Visit& visit) const {
  const std::uint64_t begin = arrays_.row_start[first], count = arrays_.row_start[last] - begin;
  if (count == 0) return;
  const auto part = [&](auto array) {
    if (!array.empty()) visit(std::as_bytes(array.subspan(begin, count)));
  };
  part(arrays_.index), part(arrays_.index16), part(arrays_.value), part(arrays_.value16);
}

bool row_stream::is_small(std::size_t first, std::size_t last) const {
  return arrays_.row_start[last] - arrays_.row_start[first] <= window_entries_;
}

void row_stream::announce(std::size_t first, std::size_t last) const {
  // The kernel starts to read at most this much of a request at once.
  static constexpr std::size_t at_once = std::size_t{128} << 10;
  for_parts(first, last, [](std::span<const std::byte> part) {
    for (std::size_t k = 0; k < part.size(); k += at_once)
      advise(part.subspan(k, std::min(at_once, part.size() - k)), MADV_WILLNEED);
  });
}

void row_stream::await(std::size_t first, std::size_t last) const {
  using clock = std::chrono::steady_clock;
  const clock::time_point begin = clock::now();
  // Starts both arrays before waiting for either.
  announce(first, last);
  for_parts(first, last, read_in);
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin);
  waited_ns_.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
}

void row_stream::release(std::size_t first, std::size_t last) const {
  first = std::max(first, staying_rows_);
  if (first >= last) return;
  for_parts(first, last, [this](std::span<const std::byte> part) {
    advise(part, MADV_DONTNEED);
    // Only whole pages: those at the ends also have other rows.
    ::posix_fadvise(fd_, part.data() - file_.data(), static_cast<off_t>(part.size()), POSIX_FADV_DONTNEED);
  });
}

}  // namespace hogwild::detail
