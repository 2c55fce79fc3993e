// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hogwild {
class run_planner;
}

namespace hogwild::device {

/// Facts known before a run that tell how fast a device and the CPU would be.
struct speed_facts {
  std::uint64_t rows_in_flight = 1;  ///< that devices may train at once
  double cpu_row_ns = 0.0;           ///< time of a row by one CPU worker alone
  std::size_t cpus = 1;              ///< that workers may use
};

/// The least time of a row in its warp, in nanoseconds: its start, its columns and their weights are read one after the
/// other, then all lanes wait for a sum. An estimate from the latencies of such devices; bench_device measures it as
/// its ceiling `latency`.
inline constexpr double least_row_ns = 1500.0;

/// Each worker's fraction of the rate of one worker alone when all CPUs have one: two reach 1.6 to 1.9 times one
/// (docs/performance.md).
inline constexpr double worker_efficiency = 0.8;

/// The most rows a second that the device can train: each warp trains one after the other.
double most_device_rows(const speed_facts& facts);
/// Rows a second that one worker on each CPU would train.
double expected_cpu_rows(const speed_facts& facts);

/// The reason, if so few rows are in flight that the device is slower than the CPU even at its best; empty otherwise.
std::string why_cpus_are_faster(const speed_facts& facts);

/// Notes that reason for real devices that train without CPU workers, as the loop's options say. Times some rows on the
/// CPU.
void note_where_cpus_are_faster(run_planner& run);

}  // namespace hogwild::device
