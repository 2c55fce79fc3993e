// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>

#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/error.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models.hpp>
#include <hogwild/worker_main.hpp>
#include <interrupt/interrupt.hpp>

#include "records.hpp"
#include "tables.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::bench;

/// Bytes streamed per second over what the same number of threads can read.
double fraction_of_ceiling(const point_report& p, const std::vector<stream_speed>& speeds, const sparse_view& rows) {
  if (p.state != point_state::measured) return 0.0;
  double ceiling = 0.0;
  for (const stream_speed& s : speeds) {
    if (s.threads <= p.what.workers) ceiling = s.bytes_per_second;
  }
  return ceiling > 0.0 ? streamed_bytes(rows) / p.median_seconds / ceiling : 0.0;
}

/// False where a configuration failed, or something that was to run ended with an error.
bool run_scaling(const bench_options& options, const workload& data, const std::vector<stream_speed>& speeds,
                 std::size_t cpus, bench_record& record) {
  const scaling_report report = measure_scaling(options, data, cpus);
  for (const model_settings& m : report.models) record.write(m);
  const bool with_target = options.target || options.target_gap;
  std::vector<double> fractions;
  for (const point_report& p : report.points) {
    fractions.push_back(fraction_of_ceiling(p, speeds, data.train().view()));
    record.write(p, fractions.back(), with_target);
  }
  record.write_rounds(options.repeats, report.rounds);
  const std::vector<speedup> speedups = speedups_of(report);
  for (const speedup& s : speedups) record.write(s);
  for (const rival_report& r : report.rivals) record.write(r);
  print(report, fractions, with_target);
  print(speedups);
  print_rivals(report);
  if (report.rounds < options.repeats) {
    std::printf("\nthe budget had room for %zu of %zu repeats\n", report.rounds, options.repeats);
  }
  return is_sound(report);
}

exit_code run(const bench_options& options) {
  bench_record record(options.out);
  const workload data(options);
  const machine_facts machine = this_machine();
  const std::size_t cpus = std::max<std::size_t>(machine.usable_cpus, 1);
  record.write(options, data, machine);
  print_context(machine, data, options.half);

  // Memory first: what later measurements leave in the allocator would count.
  std::optional<model_settings> first;
  if (options.pss || options.telemetry) first = settle(options.models.front(), options, data);
  if (options.pss) {
    const pss_report report = measure_pss(*first, options, data);
    record.write(report);
    print(report);
    std::printf("\n");
  }
  bool good = true;
  if (options.scaling) {
    const std::vector<stream_speed> speeds = measure_ceiling(cpus);
    for (const stream_speed& s : speeds) record.write(s);
    print(speeds);
    good = run_scaling(options, data, speeds, cpus, record);
  }
  if (options.telemetry) {
    for (const std::size_t workers : options.workers) {
      if (workers > cpus) continue;
      const telemetry_cost cost = measure_telemetry(*first, options, data, workers);
      record.write(cost);
      print(cost);
    }
  }
  if (options.ingest) {
    const ingest_speed speed = measure_ingest(options, data, cpus);
    record.write(speed);
    print(speed);
  }
  return good ? exit_code::done : exit_code::internal;
}

}  // namespace

int main(int argc, char** argv) {
  if (auto rc = with_named_models([&]<class... M>() { return worker_main<M...>(argc, argv); })) return *rc;
  try {
    // Generated data and shared memory are removed on the way out.
    interrupt asked({.answer = "bench_scaling: stopping (once more to end at once)\n",
                     .ended = "bench_scaling: ended at once\n",
                     .broken_pipe_may_ask = false});
    asked.begin_asking();
    auto options = read_options(argc, argv);
    if (options) options->stop = asked.token();
    return static_cast<int>(options ? run(*options) : exit_code::done);
  } catch (const error& e) {
    std::fprintf(stderr, "bench_scaling: %s\n", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_scaling: internal fault: %s\n", e.what());
    return static_cast<int>(exit_code::internal);
  }
}
