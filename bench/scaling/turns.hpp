// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace hogwild::bench {

/// One competitor of a measurement: its name for the progress line, and what it does when it is its turn.
struct turn {
  std::string name;
  std::function<void()> run;
};

/// When to stop before all rounds are done.
struct turn_limits {
  std::chrono::duration<double> budget{0};  ///< 0: none
  std::stop_token stop{};
};

/// Runs every turn once, then every turn again, `rounds` times over; another one begins each time, so that nobody
/// always follows the same neighbour into a warm or busy machine. Whole rounds only, so that all have run equally
/// often; where the next round would not fit into the budget, it is left out. Tells on standard error how far it is,
/// and returns the number of rounds done, at least 1. Throws what a turn throws, and exit_code::interrupted where a
/// stop was asked for.
std::size_t take_turns(const std::vector<turn>& turns, std::size_t rounds, const turn_limits& limits);

}  // namespace hogwild::bench
