// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace hogwild::bench {

/// Runs body(i) on a thread of its own for each of the CPUs, bound to that CPU if the system allows it, and returns
/// when all are done.
void run_pinned(std::span<const int> cpus, const std::function<void(std::size_t)>& body);

/// 1, 2, 4, ... and the number itself.
std::vector<std::size_t> doubling(std::size_t most);

/// Memory traffic that several threads reach together. Bytes are those of the program's accesses: a cache line that has
/// to be read before it is written counts once.
struct stream_rate {
  double read_bytes_per_second = 0.0;   ///< sum of one array
  double triad_bytes_per_second = 0.0;  ///< a = b + s * c, three arrays
};

/// One thread on each of the CPUs, each with `bytes` / CPUs of three arrays of its own, which it touched first; the
/// best of some passes. `bytes`: of one array, more than the caches hold.
stream_rate measure_stream(std::span<const int> cpus, std::size_t bytes);

}  // namespace hogwild::bench
