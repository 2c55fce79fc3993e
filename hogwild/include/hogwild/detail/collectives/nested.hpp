// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild {

/// Makes one group of the members of several processes. Each process has a group of its own, of equal size everywhere,
/// and the first member of each also belongs to a group across the processes. A member's rank in the whole is its
/// process's rank times the size of those groups, plus its rank in its own group.
///
/// `own` are all members of this process's group, by rank; the same members of the whole group are returned. `across`
/// is this process's member of the group across the processes; it outlives them, and only the first of them uses it.
/// Sums are taken process by process, ((x0 + x1) + (x2 + x3)) + ..., and have the same bits on all members and in every
/// run. Buffers that a member makes for a call that throws stay alive until all members of its process are gone.
std::vector<std::unique_ptr<collective>> nest(std::vector<std::unique_ptr<collective>> own, collective& across);

}  // namespace hogwild
