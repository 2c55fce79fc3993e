// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Places replicas of a model, and the workers that train them, on this machine.

namespace hogwild {

/// How the memory of replicas on a ring was placed.
enum class placed_memory {
  anywhere,  ///< wherever the system put it: no nodes were given, or all are on the same node
  bound,     ///< the system was asked to place it
  touched    ///< the system refused, so threads on the right nodes touched the memory first
};

std::string_view to_string(placed_memory how);

/// The replica, of `replicas`, that the worker in `slot` trains if the first `workers` slots have workers: consecutive
/// workers share a replica; later slots, those of late joiners, take turns. Does not depend on where the workers run.
constexpr std::size_t replica_of_slot(std::size_t slot, std::size_t workers, std::size_t replicas) {
  return slot < workers ? slot * replicas / workers : slot % replicas;
}

/// The place of one replica.
struct replica_place {
  std::vector<int> nodes{};  ///< memory nodes for its arrays, by the operating system's numbers, ascending
  std::vector<int> cpus{};   ///< for its workers: those CPUs near these nodes that the run may use, ascending

  bool operator==(const replica_place&) const = default;
};

/// The places of all replicas and workers of a run.
struct ring_placement {
  std::size_t workers = 0;
  std::vector<replica_place> replicas{};
  std::vector<int> worker_cpu{};  ///< a CPU for each worker; empty if there are more workers than CPUs

  /// CPUs for the worker in `slot`: its own if it has one; else, and for late joiners, all of its replica's.
  std::span<const int> cpus_of(std::size_t slot) const {
    if (slot < worker_cpu.size()) return {&worker_cpu[slot], 1};
    return replicas[replica_of_slot(slot, workers, replicas.size())].cpus;
  }
};

/// Depends only on its arguments and the machine's topology, so that every process of a run gets the same result. Only
/// memory nodes with CPUs in `allowed` count. With as many replicas as nodes, each replica gets one. With fewer, nodes
/// are dealt out, and a replica with several is spread over all of them, page by page. With more, nodes are divided, by
/// third-level caches as far as these suffice, then by cores. A worker gets a CPU of its replica's part, first
/// hyper-threads before second ones; then one of its node; and if those are taken, one elsewhere, since far memory is
/// better than half a CPU.
///
/// workers >= replicas >= 1. If `allowed` is empty, all CPUs and nodes in the result are empty.
ring_placement place_replicas(std::size_t workers, std::size_t replicas, std::span<const int> allowed);

/// The memory nodes of replicas for messages: "memory nodes 0, 0, 1, 1", "memory nodes 0+1, 2+3", "memory node 0" if
/// all are on that one.
std::string nodes_text(std::span<const std::vector<int>> nodes);

}  // namespace hogwild
