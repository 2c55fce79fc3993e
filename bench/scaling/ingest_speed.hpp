// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "options.hpp"
#include "workload.hpp"

namespace hogwild::bench {

/// How fast the text becomes ordered and shuffled arrays in memory, and how long a start from the cache takes.
struct ingest_speed {
  struct threads_line {
    std::size_t threads = 1;
    std::vector<double> seconds{};
    double bytes_per_second = 0.0;  ///< at the median
  };
  std::uint64_t bytes = 0;  ///< of text
  std::vector<threads_line> lines{};
  std::vector<double> warm_seconds{};
  double median_warm_seconds = 0.0;
};

/// The text is in the page cache: it was read before.
ingest_speed measure_ingest(const bench_options& options, const workload& data, std::size_t usable_cpus);

}  // namespace hogwild::bench
