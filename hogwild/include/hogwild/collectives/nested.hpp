// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hogwild/collective.hpp>

namespace hogwild {

/// One group of the members of several processes: each process has a group of its own, of equal size everywhere, whose
/// first member belongs to a group across the processes as well. The member's rank is its process's times the size of
/// those groups, plus its own in there.
///
/// `own` is the member's place in its process; `across` is the first member's alone, and null for the others; it
/// outlives this. `processes` and `process` are the size of that group, and the rank of this process in it. Sums are
/// taken process by process, ((x0 + x1) + (x2 + x3)) + ..., and are the same bits on all members and in every run.
std::unique_ptr<collective> nest(std::unique_ptr<collective> own, collective* across, std::size_t processes,
                                 std::size_t process);

}  // namespace hogwild
