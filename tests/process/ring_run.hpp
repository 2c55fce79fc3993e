// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>
#include <hogwild/worker_main.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "process_run.hpp"

// Parts that tests of a ring of processes share.

namespace hogwild::test {

/// Logistic regression whose workers sleep for a moment in each row, so that they can be caught at work. The supervisor
/// does not: it tries out a part of an epoch before the run.
struct slow_at_work : logistic {
  static constexpr std::string_view name = "slow_at_work";
  inline static bool at_work = false;  ///< set in worker processes
  float derivative(float margin, float label) const {
    if (at_work) std::this_thread::sleep_for(20us);  // about 75 with what the system adds
    return logistic::derivative(margin, label);
  }
};

/// The numbers of processes and replicas.
struct ring_size {
  std::size_t replicas, workers;

  ring_engine engine(ring_rule rule = ring_rule::deltas) const {
    return {.workers = workers,
            .replicas = replicas,
            .rule = rule,
            .transport = transport_kind::shared_segment,
            .pin = false};
  }
  /// The slots of the workers that train replica `v`; consecutive ones share a replica.
  std::vector<std::size_t> slots_of(std::size_t v) const {
    std::vector<std::size_t> slots;
    for (std::size_t s = 0; s < workers; ++s) {
      if (s * replicas / workers == v) slots.push_back(s);
    }
    return slots;
  }
};

/// The name of a test of this size.
inline std::string ring_size_name(const testing::TestParamInfo<ring_size>& tried) {
  return std::to_string(tried.param.replicas) + "_replicas_of_" +
         std::to_string(tried.param.workers / tried.param.replicas);
}

/// Exchanges that the workers of replica `v` have made with other replicas.
inline std::uint64_t ring_exchanges(const param_store& run, const ring_size& size, std::size_t v) {
  std::uint64_t sum = 0;
  for (const std::size_t s : size.slots_of(v)) sum += run.slots()[s].ring_exchanges.get();
  return sum;
}

/// The role of these tests' programs: a worker of `Models`, or none.
template <model... Models>
std::optional<int> ring_role(int argc, char** argv) {
  slow_at_work::at_work = worker_place(argc, argv).has_value();
  return worker_main<Models...>(argc, argv);
}

}  // namespace hogwild::test
