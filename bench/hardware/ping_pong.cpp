// SPDX-License-Identifier: Apache-2.0
#include "ping_pong.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>

#include "pinned.hpp"

namespace hogwild::bench {
namespace {

constexpr std::size_t tries = 3;

/// Spins, but yields if nothing happens for long: the two threads may share a CPU after all.
void wait_for(const std::atomic<std::uint64_t>& ball, std::uint64_t value) {
  for (std::uint32_t spins = 1; ball.load() != value; ++spins) {
    if (spins % 100'000 == 0) std::this_thread::yield();
  }
}

}  // namespace

double measure_ping_pong(int one, int other, std::size_t turns) {
  struct alignas(128) lone_word {
    std::atomic<std::uint64_t> value{0};
  };
  lone_word ball;
  double best = std::numeric_limits<double>::infinity();
  const std::array cpus{one, other};
  run_pinned(cpus, [&](std::size_t side) {
    for (std::uint64_t attempt = 0; attempt < tries; ++attempt) {
      const std::uint64_t first = attempt * 2 * turns;
      const auto begin = std::chrono::steady_clock::now();
      for (std::uint64_t k = first; k < first + 2 * turns; k += 2) {
        wait_for(ball.value, k + side);
        ball.value.store(k + side + 1);
      }
      if (side != 0) continue;
      wait_for(ball.value, first + 2 * turns);
      const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
      best = std::min(best, took.count() / static_cast<double>(2 * turns));
    }
  });
  return best;
}

}  // namespace hogwild::bench
