// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild::detail {

// Called between rounds, while no worker of this process trains. If the process is a rank of a ring of processes, its
// shared parameters may still change by adds: these are kept, and replicas remember the values that they were given.

/// Copies the shared parameters and optimiser state to every replica of the ring.
void give_to_replicas(const param_store& store, const exchange_options& ring, thread_team& helpers);

/// Merges the replicas into the shared parameters: under the rule `deltas` each replica's gains since its last exchange
/// are added, else the replicas are averaged. Optimiser state is summed over all in any case.
void merge_replicas(const param_store& store, const exchange_options& ring, thread_team& helpers);

}  // namespace hogwild::detail
