// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string_view>

#include "ranks.hpp"

namespace hogwild::cli {

std::unique_ptr<launched_ranks> join_ranks(const train_request& request) {
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  const bool several = size != nullptr ? std::string_view(size) != "1" : launched();
  if (!request.mpi && !several) return nullptr;
  throw config_error(
      "this build has no MPI: build with HOGWILD_WITH_MPI=ON, for which Debian and Ubuntu have the "
      "packages libopenmpi-dev and openmpi-bin");
}

}  // namespace hogwild::cli
