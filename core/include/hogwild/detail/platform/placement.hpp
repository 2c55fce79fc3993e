// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Where replicas of a model and the workers that train them go on this machine.

namespace hogwild {

/// Where the memory of replicas on a ring comes from.
enum class placed_memory {
  anywhere,  ///< wherever the system takes it: nobody said where, or all are to lie on the same node
  bound,     ///< the system was told
  touched    ///< it refused that, so threads on the right nodes have touched the memory first
};

std::string_view to_string(placed_memory how);

/// Which of `replicas` the worker in `slot` trains, where so many of the first slots have workers: consecutive workers
/// share one; later slots, those of late joiners, take turns. Wherever the workers run.
constexpr std::size_t replica_of_slot(std::size_t slot, std::size_t workers, std::size_t replicas) {
  return slot < workers ? slot * replicas / workers : slot % replicas;
}

/// Where one replica is at home.
struct replica_place {
  std::vector<int> nodes{};  ///< memory nodes for its arrays, by the operating system's numbers, ascending
  std::vector<int> cpus{};   ///< of its workers: those near these nodes that the run may use, ascending

  bool operator==(const replica_place&) const = default;
};

/// Where all replicas and workers of a run go.
struct ring_placement {
  std::size_t workers = 0;
  std::vector<replica_place> replicas{};
  std::vector<int> worker_cpu{};  ///< of each worker its own; empty where there are more workers than CPUs

  /// CPUs for the worker in `slot`: its own; else, and for late joiners, all of its replica's.
  std::span<const int> cpus_of(std::size_t slot) const {
    if (slot < worker_cpu.size()) return {&worker_cpu[slot], 1};
    return replicas[replica_of_slot(slot, workers, replicas.size())].cpus;
  }
};

/// A function of its arguments and the machine's topology alone, so that every process of a run comes to the same.
/// Memory nodes count that have CPUs in `allowed`. As many replicas as nodes: one each. Fewer: nodes are dealt out,
/// and a replica with several lies in all of them, page by page. More: nodes are divided, by third-level caches as far
/// as there are as many, then by cores. A worker has a CPU of its replica's part, first hyper-threads before second
/// ones; then one of its node; and where those are taken, one elsewhere, since far memory is better than half a CPU.
///
/// workers >= replicas >= 1. Where `allowed` is empty, so are all CPUs and nodes.
ring_placement place_replicas(std::size_t workers, std::size_t replicas, std::span<const int> allowed);

/// For people, the memory nodes of replicas: "memory nodes 0, 0, 1, 1", "memory nodes 0+1, 2+3", "memory node 0" where
/// all are on that one.
std::string nodes_text(std::span<const std::vector<int>> nodes);

}  // namespace hogwild
