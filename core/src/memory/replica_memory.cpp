// SPDX-License-Identifier: Apache-2.0
#include "memory/replica_memory.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include <hogwild/detail/platform/topology.hpp>

#include "platform/memory_nodes.hpp"

namespace hogwild::detail {

namespace {

/// CPUs near these nodes that this process may use.
std::vector<int> cpus_near(std::span<const int> nodes) {
  const std::vector<int> usable = usable_cpu_list();
  std::vector<int> near;
  for (const memory_node& n : memory_nodes()) {
    if (std::ranges::find(nodes, n.number) == nodes.end()) continue;
    std::ranges::copy_if(n.cpus, std::back_inserter(near),
                         [&](int cpu) { return std::ranges::find(usable, cpu) != usable.end(); });
  }
  return near;
}

/// A page lies on the node of the thread that first touches it.
void run_near(std::span<const int> nodes, const std::function<void()>& f) {
  try {
    std::jthread([&] {
      bind_this_thread(cpus_near(nodes));
      f();
    }).join();
  } catch (const std::system_error&) {
    // No thread is available; the memory is then placed anywhere.
  }
}

}  // namespace

placed_memory place_replica_memory(std::byte* base, const store_shape& shape, std::span<const std::vector<int>> nodes,
                                   const std::function<void(std::size_t, std::size_t)>& touch) {
  const auto differs = [&](const std::vector<int>& of_replica) { return of_replica != nodes.front(); };
  if (nodes.size() != shape.ring || std::ranges::none_of(nodes, differs)) return placed_memory::anywhere;
  const std::size_t first = store_layout(shape).ring, stride = store_layout::ring_stride(shape);
  auto done = placed_memory::bound;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const std::size_t at = first + v * stride;
    if (bind_memory({base + at, stride}, nodes[v])) continue;
    done = placed_memory::touched;
    run_near(nodes[v], [&] { touch(at, stride); });
  }
  return done;
}

}  // namespace hogwild::detail
