// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "options.hpp"

namespace hogwild::bench {

/// One place on the axes.
struct point {
  std::string model;
  engine_kind engine = engine_kind::serial;
  std::size_t workers = 1;
  update_kind update = update_kind::lossy;
};

struct planned_point {
  point what;
  std::string skip{};  ///< why it cannot be measured; empty: it can
};

/// All points that the options span. The serial engine has one worker, whatever the axis says.
std::vector<planned_point> plan_points(const bench_options& options, std::size_t usable_cpus);

}  // namespace hogwild::bench
