// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild {

/// One group of the members of several processes: each process has a group of its own, of equal size everywhere, whose
/// first member belongs to a group across the processes as well. The member's rank is its process's times the size of
/// those groups, plus its own in there.
///
/// `own` are all members of this process's group, by rank; returned are the same members of the whole group. `across`
/// is this process's place in the group across the processes; it outlives them, and only the first of them uses it.
/// Sums are taken process by process, ((x0 + x1) + (x2 + x3)) + ..., and are the same bits on all members and in every
/// run. What a member makes for a call that throws stays until all members of its process are gone.
std::vector<std::unique_ptr<collective>> nest(std::vector<std::unique_ptr<collective>> own, collective& across);

}  // namespace hogwild
