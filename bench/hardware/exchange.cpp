// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "stream.hpp"

namespace hogwild::bench {
namespace {

constexpr std::size_t floats_in_line = 16, rounds = 25, tries = 3;

/// Spins, but yields if nothing happens for long: the threads may share a CPU after all.
void wait_for(const std::atomic<std::uint64_t>& what, std::uint64_t value) {
  for (std::uint32_t spins = 1; what.load() != value; ++spins) {
    if (spins % 100'000 == 0) std::this_thread::yield();
  }
}

/// shared += work - base, then both become the sum.
void exchange(float* __restrict shared, float* __restrict work, float* __restrict base, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float sum = shared[i] + (work[i] - base[i]);
    shared[i] = sum;
    work[i] = sum;
    base[i] = sum;
  }
}

}  // namespace

double measure_exchange(std::span<const int> cpus, std::size_t lines) {
  const std::size_t n = lines * floats_in_line, threads = cpus.size();
  std::vector<float> shared(n, 0.0f);
  std::vector<std::vector<double>> nanoseconds(threads);
  // The thread with this number has the shared array for itself; passing the turn on publishes its writes.
  alignas(128) std::atomic<std::uint64_t> turn{0};
  run_pinned(cpus, [&](std::size_t t) {
    std::vector<float> work(n, 1.0f), base(n, 0.0f);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::uint64_t mine = round * threads + t;
      wait_for(turn, mine);
      const auto begin = std::chrono::steady_clock::now();
      exchange(shared.data(), work.data(), base.data(), n);
      const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
      turn.store(mine + 1);
      if (round > 0) nanoseconds[t].push_back(took.count() / static_cast<double>(lines));
    }
  });
  std::vector<double> all;
  for (const auto& of_thread : nanoseconds) all.insert(all.end(), of_thread.begin(), of_thread.end());
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  return all[all.size() / 2];
}

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
