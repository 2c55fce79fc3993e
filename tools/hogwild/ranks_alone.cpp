// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "ranks.hpp"

namespace hogwild::cli {

std::unique_ptr<launched_ranks> join_ranks(const train_request& request) {
  const bool unknown =
      launched() && std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && std::getenv("PMI_SIZE") == nullptr;
  if (!request.mpi && !launched_several() && !unknown) return nullptr;
  throw config_error(
      "this build has no MPI: build with HOGWILD_WITH_MPI=ON, for which Debian and Ubuntu have the "
      "packages libopenmpi-dev and openmpi-bin");
}

}  // namespace hogwild::cli
