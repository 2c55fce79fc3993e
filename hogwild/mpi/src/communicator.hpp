// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <mpi.h>

#include "session_state.hpp"

namespace hogwild::detail {

/// A communicator of all ranks for one user, made together by all within the timeout; it returns errors. Throws
/// worker_error, and then the session is lost. Never freed: MPI could give its number to another communicator, which
/// would then receive messages that are still under way in this one.
MPI_Comm own_copy(mpi_session::state& session, std::chrono::nanoseconds timeout);

}  // namespace hogwild::detail
