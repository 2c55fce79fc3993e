// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scaling.hpp"

namespace hogwild::bench {

/// Memory of a process run: the proportional set sizes of this process, which supervises and measures, and of all its
/// workers, summed. Taken at the gates, when every page of the data has been visited; the largest sum counts.
struct pss_line {
  std::size_t workers = 1;    ///< worker processes
  std::size_t processes = 0;  ///< that the sum is over
  std::uint64_t bytes = 0;
};

struct pss_report {
  std::string model;
  std::uint64_t cache_bytes = 0;  ///< the mapped file: what one copy of the data takes
  std::vector<pss_line> lines{};  ///< the first has one worker: what the others are compared with
};

/// Throws resource_error where the kernel does not tell (no /proc/PID/smaps_rollup), and what train() throws.
pss_report measure_pss(const model_settings& settled, const bench_options& options, const workload& data);

}  // namespace hogwild::bench
