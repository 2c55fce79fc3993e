// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include <hogwild/detail/transports/message_link.hpp>
#include <hogwild/mpi/session.hpp>

namespace hogwild {

/// This rank's ends of a ring of all ranks; every rank calls this at the same point of its program. The session
/// outlives it. If the session's threads take turns, the ring must not be used while another thread calls MPI.
///
/// Messages may be of any length. As Open MPI makes no progress unless somebody calls it, receive() keeps calling while
/// it waits, and sleeps in between; a message under way makes progress only while its sender waits for another one.
/// `timeout` is how long a message may be under way.
std::unique_ptr<message_link> join_mpi_ring(mpi_session& session,
                                            std::chrono::nanoseconds timeout = std::chrono::seconds(30));

}  // namespace hogwild
