// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "functions.hpp"

// NCCL's functions among threads of one process, whose devices have the memory of the host: the calls that
// hogwild::nccl makes, with the documented restrictions. Unique ids tell groups apart. Every other call stays in
// progress for a while; finalizing does until all ranks have begun to, and destroying waits for all.

namespace hogwild::test {

const nccl::functions& fake_nccl();

/// A fault of a rank: in its messages, or when it joins its group, while the others wait for it.
enum class nccl_fault { none, stuck, refused, refused_to_join };

/// Sets the fault of this rank in all groups, from its exchange number `after` on, counted from 0. Call it while nobody
/// exchanges.
void break_fake_nccl(nccl_fault how, std::size_t rank, std::size_t after = 0);

/// How many communicators have neither been destroyed nor aborted.
std::size_t open_fake_communicators();

/// How many have begun to finalize so far. It ends when all of their group have begun.
std::size_t finalized_fake_communicators();

/// How many were aborted so far.
std::size_t aborted_fake_communicators();

}  // namespace hogwild::test
