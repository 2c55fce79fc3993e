// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/mpi/session.hpp>

namespace hogwild {

/// The member for this rank, of a group of all ranks; every rank calls this at the same point of its program. The
/// session outlives it. Several may exist, and where the session's threads may call MPI at the same time, so may their
/// owners.
///
/// Sums are the same bits on all ranks and in every run, which MPI_Allreduce does not promise: each part of the array
/// is summed by one rank, in the order of the ranks, and handed to the others; short arrays are handed around whole and
/// summed by everyone. All waiting is for messages of known ranks and ends after the timeout, because Open MPI 4
/// neither reports a rank that died nor returns from a call that waits for it. Messages go directly between every two
/// ranks: made for some dozens of ranks, not for thousands.
///
/// What is sent and received passes through memory of the group, which stays for the life of the session where a call
/// throws and its messages cannot be taken back; spans may go as soon as a call has thrown.
std::unique_ptr<collective> join_mpi_group(mpi_session& session, const collective_options& options = {});

}  // namespace hogwild
