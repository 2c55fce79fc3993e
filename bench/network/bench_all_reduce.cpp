// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include <bench/parse_and_run.hpp>
#include <bench/record_lines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/mpi/collective.hpp>
#include <hogwild/mpi/session.hpp>

// The cost of a sum of floats over all ranks: by the collective of the synchronous engine, and by MPI_Allreduce,
// alternating.

namespace {

using namespace hogwild;
using namespace hogwild::bench;
using json = record_lines::json;

struct asked {
  std::vector<std::size_t> floats{1 << 10, 1 << 13, 1 << 16, 1 << 20};
  std::size_t repeats = 21;
  std::string out;
};

/// Seconds of one call on this rank; all ranks begin together.
template <class Call>
double seconds_of(const Call& call) {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> x) {
  std::ranges::nth_element(x, x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
  return x[x.size() / 2];
}

/// The slowest rank's time: a sum is complete when all have it.
double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

json measure(collective& ranks, std::size_t floats, std::size_t repeats) {
  std::vector<float> x(floats, 1.0f), bare(floats, 1.0f);
  std::vector<double> ours, theirs;
  for (std::size_t i = 0; i <= repeats; ++i) {
    std::ranges::fill(x, 1.0f);
    std::ranges::fill(bare, 1.0f);
    const double by_ranks = slowest(seconds_of([&] { ranks.all_reduce(std::span(x)); }));
    const double by_mpi = slowest(seconds_of([&] {
      MPI_Allreduce(MPI_IN_PLACE, bare.data(), static_cast<int>(floats), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }));
    if (x != bare) throw worker_error("the two sums of ones differ");
    if (i == 0) continue;  // the first call opens connections
    ours.push_back(by_ranks);
    theirs.push_back(by_mpi);
  }
  return {{"kind", "all_reduce"},
          {"ranks", ranks.size()},
          {"floats", floats},
          {"median_seconds", median(ours)},
          {"mpi_median_seconds", median(theirs)},
          {"ratio", median(ours) / median(theirs)},
          {"seconds", ours},
          {"mpi_seconds", theirs}};
}

int run(const asked& o) {
  mpi_session session;
  const auto ranks = join_mpi_group(session);
  const bool first = session.rank() == 0;
  std::optional<record_lines> record;
  if (first && !o.out.empty()) record.emplace(o.out).put_context("mpi", session.describe());
  if (first)
    std::printf("%zu ranks: %s\n%12s %14s %14s %8s\n", session.size(), session.describe().c_str(), "floats",
                "all_reduce us", "MPI us", "ratio");
  for (const std::size_t floats : o.floats) {
    const json line = measure(*ranks, floats, o.repeats);
    if (!first) continue;
    std::printf("%12zu %14.1f %14.1f %8.2f\n", floats, 1e6 * line["median_seconds"].get<double>(),
                1e6 * line["mpi_median_seconds"].get<double>(), line["ratio"].get<double>());
    if (record) record->put(line);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  asked o;
  CLI::App app("Times the sums of the synchronous engine beside MPI_Allreduce. Start it with mpiexec.",
               "bench_all_reduce");
  app.option_defaults()->always_capture_default();
  app.add_option("--floats", o.floats, "lengths of the arrays")->delimiter(',')->check(CLI::Range(1, 1 << 28));
  app.add_option("--repeats", o.repeats, "sums of each kind")->check(CLI::Range(1, 100000));
  app.add_option("--out", o.out, "record, JSON lines");
  return parse_and_run(app, argc, argv, [&] { return run(o); });
}
