// SPDX-License-Identifier: Apache-2.0
#include "communicator.hpp"

#include <chrono>
#include <memory>
#include <thread>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/detail/platform/wait_limit.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {

MPI_Comm own_copy(mpi_session::state& session, std::chrono::nanoseconds timeout) {
  const auto copy = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
  try {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Comm_idup(MPI_COMM_WORLD, copy.get(), &request), "a group of ranks cannot be made");
    wait_limit limit(timeout);
    for (int done = 0;;) {
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "a group of ranks cannot be made");
      if (done != 0) break;
      if (limit.passed()) throw worker_error(not_joined_text(timeout));
      std::this_thread::yield();
    }
    check_mpi(MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN), "errors cannot be caught");
  } catch (const worker_error&) {
    session.lose(copy);  // MPI writes there if the others come after all
    throw;
  }
  return *copy;
}

}  // namespace hogwild::detail
