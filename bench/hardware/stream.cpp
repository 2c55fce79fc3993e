// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include <hogwild/detail/platform/topology.hpp>

namespace hogwild::bench {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::size_t passes = 4;

/// Eight independent sums, so that the additions never wait for each other.
double sum_of(const std::vector<double>& values) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sums[k] += values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += values[i];
  double total = 0;
  for (const double s : sums) total += s;
  return total;
}

/// The times at which a thread began and ended a pass; a pass lasts from the first begin to the last end.
struct pass_times {
  clock::time_point begin{}, end{};
};

double best_rate(const std::vector<std::vector<pass_times>>& times, double bytes) {
  double best = 0.0;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    auto begin = clock::time_point::max();
    auto end = clock::time_point::min();
    for (const auto& of_thread : times) {
      begin = std::min(begin, of_thread[pass].begin);
      end = std::max(end, of_thread[pass].end);
    }
    best = std::max(best, bytes / std::chrono::duration<double>(end - begin).count());
  }
  return best;
}

}  // namespace

stream_rate measure_stream(std::span<const int> cpus, std::size_t bytes) {
  const std::size_t length = std::max<std::size_t>(bytes / sizeof(double) / cpus.size(), 64);
  std::vector<std::vector<pass_times>> reads(cpus.size(), std::vector<pass_times>(passes)), triads = reads;
  std::vector<double> sums(cpus.size() * 16);
  std::barrier together(static_cast<std::ptrdiff_t>(cpus.size()));
  run_pinned(cpus, [&](std::size_t t) {
    std::vector<double> a(length, 0.0), b(length, 1.0), c(length, 2.0);
    for (std::size_t pass = 0; pass < passes; ++pass) {
      together.arrive_and_wait();
      reads[t][pass].begin = clock::now();
      sums[t * 16] += sum_of(b);
      reads[t][pass].end = clock::now();
      together.arrive_and_wait();
      triads[t][pass].begin = clock::now();
      const double s = static_cast<double>(pass);
      for (std::size_t i = 0; i < length; ++i) a[i] = b[i] + s * c[i];
      triads[t][pass].end = clock::now();
      sums[t * 16] += a[pass] - 1.0 - 2.0 * s;  // 0, but the compiler has to store it
    }
  });
  // The check uses all values, so all were read.
  for (std::size_t t = 0; t < cpus.size(); ++t) {
    if (sums[t * 16] != static_cast<double>(passes * length)) throw std::logic_error("a stream lost some of its words");
  }
  const double moved = static_cast<double>(length * sizeof(double) * cpus.size());
  return {best_rate(reads, moved), best_rate(triads, 3 * moved)};
}

void run_pinned(std::span<const int> cpus, const std::function<void(std::size_t)>& body) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    threads.emplace_back([&, i] {
      bind_this_thread(cpus.subspan(i, 1));
      body(i);
    });
  }
}

std::vector<std::size_t> doubling(std::size_t most) {
  std::vector<std::size_t> counts;
  for (std::size_t n = 1; n < most; n *= 2) counts.push_back(n);
  counts.push_back(most);
  return counts;
}

}  // namespace hogwild::bench
