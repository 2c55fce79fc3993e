// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/memory/param_store.hpp>

namespace hogwild::detail {

// Between rounds, while no worker of this process trains. Where the process is a rank of a ring of processes, its
// shared parameters may still change by adds: those are kept, and what replicas are given is what they remember.

/// Gives every replica of the ring the shared parameters and optimiser state.
void give_to_replicas(const param_store& store, const exchange_options& ring, thread_team& helpers);

/// Makes the shared parameters of what the replicas have become: under the rule `deltas` what each has
/// gained since it exchanged last is added, else they are the replicas' mean. Optimiser state is summed over all in any
/// case.
void merge_replicas(const param_store& store, const exchange_options& ring, thread_team& helpers);

}  // namespace hogwild::detail
