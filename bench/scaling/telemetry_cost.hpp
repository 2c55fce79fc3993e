// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scaling.hpp"

namespace hogwild::bench {

/// What telemetry costs, from epochs that ran in turn with it, without it, and without it once more.
struct telemetry_cost {
  std::string model;
  std::size_t workers = 1;
  std::vector<double> with{}, without{}, again{};  ///< seconds an epoch; the i-th of each ran beside the others
  double median_ratio = 0.0;                       ///< of with[i] / without[i]
  double noise_ratio = 0.0;                        ///< of again[i] / without[i]: 1 on a quiet machine
};

/// Measures `model` with `workers` threads, each repeat on memory of its own.
telemetry_cost measure_telemetry(const model_settings& settled, const bench_options& options, const workload& data,
                                 std::size_t workers);

}  // namespace hogwild::bench
