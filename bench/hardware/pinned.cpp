// SPDX-License-Identifier: Apache-2.0
#include "pinned.hpp"

#include <thread>

#include <hogwild/detail/platform/topology.hpp>

namespace hogwild::bench {

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
