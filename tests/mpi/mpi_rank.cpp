// SPDX-License-Identifier: Apache-2.0
// One of three ranks. Rank 1 gets lost in the way that the first argument names; each writes its error to a file in the
// folder that the second argument names.
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <hogwild/error.hpp>
#include <hogwild/mpi/collective.hpp>

#include "support/eventually.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

bool fails_once = false;

}  // namespace

/// Replaces the library's MPI_Test, which is also PMPI_Test.
extern "C" int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  return std::exchange(fails_once, false) ? MPI_ERR_OTHER : PMPI_Test(request, done, status);
}

namespace {

/// The file in which a rank writes its error.
std::string file_of(const std::string& folder, std::size_t rank) {
  return folder + "/rank-" + std::to_string(rank);
}

void take_part(collective& c, const std::string& how, const std::string& folder) {
  std::vector<float> x(50'000, 1.0f), few(10, 1.0f);
  for (int k = 0; k < 5; ++k) c.all_reduce(x);
  if (c.rank() == 1) {
    if (how == "killed") std::raise(SIGKILL);
    if (how == "leaves") return;
    if (how == "fails") return c.fail("its disk is full");
    if (how == "mpi_fails") fails_once = true;
    if (how == "silent") {  // until the others have given up
      test::eventually(50s, [&] {
        return std::filesystem::exists(file_of(folder, 0)) && std::filesystem::exists(file_of(folder, 2));
      });
    }
    if (how == "shorter") x.resize(10'000);
    if (how == "other_call") return c.barrier();
    if (how == "wrong_root") return c.broadcast(x, 5);
  }
  if (how == "other_call") return c.all_reduce(few);
  // A long array's parts are as long as the short one.
  if (how == "short_and_long") x.resize(c.rank() == 1 ? 2048 : 3 * 2048);
  c.all_reduce(x);
}

}  // namespace

int main(int, char** argv) {
  const std::string how = argv[1];
  mpi_session session;
  std::string said = "nothing happened";
  try {
    const bool waits_long = how != "killed" && how != "silent";
    const auto member = join_mpi_group(session, {.timeout = waits_long ? 60s : 2s});
    take_part(*member, how, argv[2]);
  } catch (const error& e) {
    said = e.what();
  }
  std::ofstream(file_of(argv[2], session.rank())) << said << std::flush;
  // Finalizing waits for the others, which have given up.
  if (how == "leaves" && session.rank() == 1) std::_Exit(1);
  return said == "nothing happened" ? 0 : 1;
}
