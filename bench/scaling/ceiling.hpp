// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild::bench {

/// How fast this machine reads memory in sequence with some threads.
struct stream_speed {
  std::size_t threads = 1;
  double bytes_per_second = 0.0;
};

/// The best of some passes over arrays that no cache holds, for 1 and for `most` threads (hardware/stream.hpp).
std::vector<stream_speed> measure_ceiling(std::size_t most);

/// Bytes that an epoch streams from memory: index and value of each entry, start and label of each row. The parameters
/// are not counted, because the hot ones stay in a cache; so the fraction of the ceiling is a lower bound.
double streamed_bytes(const sparse_view& rows);

}  // namespace hogwild::bench
