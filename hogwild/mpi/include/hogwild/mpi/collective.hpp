// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/mpi/session.hpp>

namespace hogwild {

/// The member for this rank in a group of all ranks; every rank calls this at the same point of its program. The
/// session outlives it. Several may exist; their owners may use them at the same time if the session's threads may call
/// MPI at the same time.
///
/// Sums have the same bits on all ranks and in every run, which MPI_Allreduce does not guarantee: one rank sums each
/// part of the array, in the order of the ranks, and sends it to the others; short arrays are sent whole and summed by
/// everyone. Every wait is for messages of known ranks and ends after the timeout, because Open MPI 4 neither reports a
/// rank that died nor returns from a call that waits for it. Messages go directly between every two ranks: made for
/// some dozens of ranks, not for thousands.
///
/// Messages use memory of the group. If a call throws and its messages cannot be cancelled, that memory stays for the
/// life of the session; callers' spans may be freed as soon as a call has thrown.
std::unique_ptr<collective> join_mpi_group(mpi_session& session, const collective_options& options = {});

}  // namespace hogwild
