// SPDX-License-Identifier: Apache-2.0
#include "turns.hpp"

#include <algorithm>
#include <cstdio>

#include "leave_when_asked.hpp"

namespace hogwild::bench {

std::size_t take_turns(const std::vector<turn>& turns, std::size_t rounds, const turn_limits& limits) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  std::chrono::duration<double> longest{0};
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto round_begin = clock::now();
    const bool limited = round > 0 && limits.budget.count() > 0;
    if (limited && round_begin - begin + longest > limits.budget) return round;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      leave_when_asked(limits.stop);
      const turn& next = turns[(i + round) % turns.size()];
      std::fprintf(stderr, "[%zu/%zu] %s\n", round * turns.size() + i + 1, rounds * turns.size(), next.name.c_str());
      next.run();
    }
    longest = std::max<std::chrono::duration<double>>(longest, clock::now() - round_begin);
  }
  return rounds;
}

}  // namespace hogwild::bench
