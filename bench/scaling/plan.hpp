// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "options.hpp"

namespace hogwild::bench {

/// One place on the axes.
struct point {
  std::string model{};
  engine_kind engine = engine_kind::serial;
  std::size_t workers = 1;
  update_kind update = update_kind::lossy;
  sharing_kind sharing = sharing_kind::automatic;
  bool reproducible = false;
  ring_rule exchange = ring_rule::deltas;  ///< of a ring, which has as many replicas as workers
};

/// "threads 2 lossy buffered": what a progress line says of it after its model. The last word is the sharing policy,
/// "reproducible", or the rule of a ring.
std::string words_of(const point& p);
std::string way_of(const point& p);

struct planned_point {
  point what{};
  std::string skip{};  ///< why it cannot be measured; empty: it can
};

/// All points that the options span. The serial engine has one worker, shares with nobody, and is there once a model
/// and update policy.
std::vector<planned_point> plan_points(const bench_options& options, std::size_t usable_cpus);

}  // namespace hogwild::bench
