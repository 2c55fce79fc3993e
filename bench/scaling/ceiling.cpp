// SPDX-License-Identifier: Apache-2.0
#include "ceiling.hpp"

#include <set>

#include <bench/hardware/stream.hpp>
#include <hogwild/detail/platform/placement.hpp>
#include <hogwild/detail/platform/topology.hpp>

#include "defaults.hpp"

namespace hogwild::bench {

std::vector<stream_speed> measure_ceiling(std::size_t most) {
  const std::vector<int> usable = usable_cpu_list();
  std::vector<stream_speed> speeds;
  for (const std::size_t threads : std::set<std::size_t>{1, most}) {
    const stream_rate rate = measure_stream(worker_cpus(threads, usable), defaults::ceiling_bytes);
    speeds.push_back({threads, rate.read_bytes_per_second});
  }
  return speeds;
}

double streamed_bytes(const sparse_view& rows) {
  const std::size_t an_entry = (rows.has_narrow_index() ? 2 : 4) + (rows.has_narrow_value() ? 2 : 4);
  const std::size_t a_row = (rows.row_start.narrow().empty() ? 8 : 4) + (rows.label.coded() ? 1 : 8);
  return static_cast<double>(rows.nonzeros() * an_entry + rows.rows() * a_row);
}

}  // namespace hogwild::bench
