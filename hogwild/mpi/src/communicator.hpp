// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <mpi.h>

#include "session_state.hpp"

namespace hogwild::detail {

/// A communicator of all ranks that nobody else uses, made together by all within the timeout; errors are returned.
/// Throws worker_error, and then the session is lost. Never freed: what is still under way in it when its user ends
/// must not get into another one, to which MPI would give the same number.
MPI_Comm own_copy(mpi_session::state& session, std::chrono::nanoseconds timeout);

}  // namespace hogwild::detail
