// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/placement.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "platform/memory_nodes.hpp"

namespace hogwild {

namespace detail {

namespace {

using cores = std::vector<core_cpus>;

/// The nodes restricted to the allowed CPUs.
std::vector<memory_node> within(std::span<const memory_node> nodes, std::span<const int> allowed) {
  const auto forbidden = [&](int cpu) { return std::ranges::find(allowed, cpu) == allowed.end(); };
  std::vector<memory_node> left(nodes.begin(), nodes.end());
  for (memory_node& n : left) {
    std::erase_if(n.cpus, forbidden);
    for (auto& cluster : n.clusters) {
      for (core_cpus& core : cluster) std::erase_if(core, forbidden);
      std::erase_if(cluster, [](const core_cpus& core) { return core.empty(); });
    }
    std::erase_if(n.clusters, [](const cores& cluster) { return cluster.empty(); });
  }
  std::erase_if(left, [](const memory_node& n) { return n.cpus.empty(); });
  return left;
}

/// Distributes `replicas` over `parts` in order: calls whole(v, first, last) for a replica that gets parts of its own,
/// and divided(p, first, last) if replicas first .. last - 1 share a part.
template <class Whole, class Divided>
void deal(std::size_t replicas, std::size_t parts, const Whole& whole, const Divided& divided) {
  if (replicas <= parts) {
    for (std::size_t v = 0; v < replicas; ++v) whole(v, v * parts / replicas, (v + 1) * parts / replicas);
    return;
  }
  const auto first = [&](std::size_t p) { return (p * replicas + parts - 1) / parts; };
  for (std::size_t p = 0; p < parts; ++p) divided(p, first(p), first(p + 1));
}

/// A replica's nodes, and its part of them.
struct home {
  std::vector<std::size_t> nodes{};
  cores part{};
};

void append(cores& to, const cores& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Divides one node among homes.
void divide(const memory_node& node, std::span<home> homes) {
  deal(
      homes.size(), node.clusters.size(),
      [&](std::size_t v, std::size_t first, std::size_t last) {
        for (std::size_t c = first; c < last; ++c) append(homes[v].part, node.clusters[c]);
      },
      [&](std::size_t c, std::size_t begin, std::size_t end) {
        const cores& all = node.clusters[c];
        const auto few = homes.subspan(begin, end - begin);
        deal(
            few.size(), all.size(),
            [&](std::size_t v, std::size_t first, std::size_t last) {
              for (std::size_t k = first; k < last; ++k) few[v].part.push_back(all[k]);
            },
            [&](std::size_t core, std::size_t first, std::size_t last) {
              for (std::size_t v = first; v < last; ++v) few[v].part.push_back(all[core]);
            });
      });
}

std::vector<home> homes_on(std::span<const memory_node> nodes, std::size_t replicas) {
  std::vector<home> homes(replicas);
  if (nodes.empty()) return homes;
  deal(
      replicas, nodes.size(),
      [&](std::size_t v, std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
          homes[v].nodes.push_back(n);
          append(homes[v].part, cores_of(nodes[n]));
        }
      },
      [&](std::size_t n, std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) homes[v].nodes.push_back(n);
        divide(nodes[n], std::span(homes).subspan(first, last - first));
      });
  return homes;
}

/// Assigns each CPU to one worker, the nearest first.
class seating {
 public:
  explicit seating(std::size_t workers) : cpu_(workers, nobody) {}

  /// Unless the worker has a CPU, assigns it the first free one among the `thread`-th hyper-threads of these cores.
  void seat(std::size_t worker, const cores& near, std::size_t thread) {
    for (std::size_t i = 0; cpu_[worker] == nobody && i < near.size(); ++i) {
      if (thread < near[i].size()) seat(worker, near[i][thread]);
    }
  }
  void seat(std::size_t worker, std::span<const int> anywhere) {
    for (std::size_t i = 0; cpu_[worker] == nobody && i < anywhere.size(); ++i) seat(worker, anywhere[i]);
  }
  std::vector<int> result() && { return std::move(cpu_); }

 private:
  static constexpr int nobody = -1;
  void seat(std::size_t worker, int cpu) {
    if (std::ranges::find(cpu_, cpu) == cpu_.end()) cpu_[worker] = cpu;
  }
  std::vector<int> cpu_;
};

std::size_t most_threads(std::span<const memory_node> nodes) {
  std::size_t most = 0;
  for (const memory_node& n : nodes) {
    for (const core_cpus& core : cores_of(n)) most = std::max(most, core.size());
  }
  return most;
}

std::vector<int> seats(std::span<const memory_node> nodes, std::span<const home> homes, std::size_t workers,
                       std::span<const int> allowed) {
  const auto home_of = [&](std::size_t w) -> const home& { return homes[replica_of_slot(w, workers, homes.size())]; };
  seating all(workers);
  for (std::size_t thread = 0; thread < most_threads(nodes); ++thread) {
    for (std::size_t w = 0; w < workers; ++w) all.seat(w, home_of(w).part, thread);
    for (std::size_t w = 0; w < workers; ++w) {
      for (const std::size_t n : home_of(w).nodes) all.seat(w, cores_of(nodes[n]), thread);
    }
  }
  std::vector<int> in_order = worker_cpus_on(nodes, allowed.size(), allowed);
  for (std::size_t w = 0; w < workers; ++w) all.seat(w, in_order);
  return std::move(all).result();
}

}  // namespace

std::vector<int> worker_cpus_on(std::span<const memory_node> nodes, std::size_t workers, std::span<const int> allowed) {
  std::vector<int> order;
  const auto usable = [&](int cpu) {
    return std::ranges::find(allowed, cpu) != allowed.end() && std::ranges::find(order, cpu) == order.end();
  };
  // Each round takes the next allowed hyper-thread of each core.
  for (std::size_t before = allowed.size() + 1; before != order.size();) {
    before = order.size();
    for (const memory_node& n : nodes) {
      for (const core_cpus& core : cores_of(n)) {
        const auto next = std::ranges::find_if(core, usable);
        if (next != core.end()) order.push_back(*next);
      }
    }
  }
  for (const int cpu : allowed) {
    if (usable(cpu)) order.push_back(cpu);
  }
  std::vector<int> chosen;
  for (std::size_t worker = 0; worker < workers && !order.empty(); ++worker) {
    chosen.push_back(order[worker % order.size()]);
  }
  return chosen;
}

ring_placement place_replicas_on(std::span<const memory_node> machine, std::size_t workers, std::size_t replicas,
                                 std::span<const int> allowed) {
  const std::vector<memory_node> nodes = within(machine, allowed);
  const std::vector<home> homes = homes_on(nodes, replicas);
  ring_placement found{.workers = workers, .replicas = std::vector<replica_place>(replicas)};
  for (std::size_t v = 0; v < replicas; ++v) {
    replica_place& place = found.replicas[v];
    for (const std::size_t n : homes[v].nodes) {
      place.nodes.push_back(nodes[n].number);
      place.cpus.insert(place.cpus.end(), nodes[n].cpus.begin(), nodes[n].cpus.end());
    }
    if (nodes.empty()) place.cpus.assign(allowed.begin(), allowed.end());  // CPUs that the topology does not contain
    std::ranges::sort(place.nodes);
    std::ranges::sort(place.cpus);
  }
  if (workers <= allowed.size()) found.worker_cpu = seats(nodes, homes, workers, allowed);
  return found;
}

}  // namespace detail

std::string nodes_text(std::span<const std::vector<int>> nodes) {
  std::vector<std::string> each;
  for (const std::vector<int>& of_replica : nodes) {
    std::string text;
    for (const int n : of_replica) text += (text.empty() ? "" : "+") + std::to_string(n);
    each.push_back(std::move(text));
  }
  const bool alike = std::ranges::adjacent_find(each, std::ranges::not_equal_to{}) == each.end();
  if (alike && !each.empty()) each.resize(1);
  std::string all;
  for (const std::string& text : each) all += (all.empty() ? "" : ", ") + text;
  const bool one = alike && all.find('+') == std::string::npos;
  return (one ? "memory node " : "memory nodes ") + all;
}

ring_placement place_replicas(std::size_t workers, std::size_t replicas, std::span<const int> allowed) {
  return detail::place_replicas_on(detail::memory_nodes(), workers, replicas, allowed);
}

}  // namespace hogwild
