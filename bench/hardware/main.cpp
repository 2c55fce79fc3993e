// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>

#include <bench/parse_and_run.hpp>
#include <bench/record_lines.hpp>
#include <hogwild/detail/platform/topology.hpp>

#include "exchange.hpp"
#include "stream.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::bench;
using json = record_lines::json;

struct hardware_options {
  std::size_t stream_bytes = std::size_t{256} << 20;
  std::size_t turns = 5000;
  std::size_t lines = 4096;
  std::size_t most_pairs_of = 32;
  double budget_seconds = 0.0;
  std::string out;
};

/// One-way times between every two of the CPUs; null on the diagonal and if the time was up.
json ping_pong_matrix(const std::vector<int>& cpus, const hardware_options& o, const auto& time_is_up) {
  std::vector<std::vector<json>> matrix(cpus.size(), std::vector<json>(cpus.size()));
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    for (std::size_t j = i + 1; j < cpus.size() && !time_is_up(); ++j) {
      const double ns = measure_ping_pong(cpus[i], cpus[j], o.turns);
      matrix[i][j] = matrix[j][i] = std::round(ns * 10) / 10;
    }
  }
  return {{"kind", "ping_pong"}, {"turns", o.turns}, {"cpus", cpus}, {"one_way_nanoseconds", std::move(matrix)}};
}

int run(const hardware_options& o) {
  const auto begin = std::chrono::steady_clock::now();
  bool cut = false;
  const auto time_is_up = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (o.budget_seconds > 0 && passed.count() > o.budget_seconds) cut = true;
    return cut;
  };
  record_lines out(o.out);
  out.put_context();
  const std::vector<int> usable = usable_cpu_list();
  for (const std::size_t threads : doubling(usable.size())) {
    if (time_is_up()) break;
    const std::vector<int> cpus = worker_cpus(threads, usable);
    const stream_rate rate = measure_stream(cpus, o.stream_bytes);
    out.put({{"kind", "stream"},
             {"threads", threads},
             {"read_bytes_per_second", rate.read_bytes_per_second},
             {"triad_bytes_per_second", rate.triad_bytes_per_second}});
  }
  for (const std::size_t threads : doubling(usable.size())) {
    if (time_is_up()) break;
    const std::vector<int> cpus = worker_cpus(threads, usable);
    out.put({{"kind", "exchange"},
             {"threads", threads},
             {"lines", o.lines},
             {"nanoseconds_per_line", measure_exchange(cpus, o.lines)}});
  }
  out.put(ping_pong_matrix(worker_cpus(std::min(usable.size(), o.most_pairs_of), usable), o, time_is_up));
  out.put({{"kind", "end"}, {"cut", cut}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  hardware_options o;
  CLI::App app("Measures what the machine allows: memory bandwidth, cache lines between CPUs.", "bench_hardware");
  app.option_defaults()->always_capture_default();
  app.add_option("--stream-bytes", o.stream_bytes, "size of each of the three arrays")->check(CLI::PositiveNumber);
  app.add_option("--turns", o.turns, "round trips of a cache line")->check(CLI::PositiveNumber);
  app.add_option("--lines", o.lines, "64-byte lines that are exchanged")->check(CLI::PositiveNumber);
  app.add_option("--pairs-of", o.most_pairs_of, "CPUs at most in the matrix of pairs")->check(CLI::PositiveNumber);
  app.add_option("--budget", o.budget_seconds, "leave out what would begin later; 0: nothing")->type_name("SEC");
  app.add_option("--out", o.out, "file for the record; standard output where not given")->type_name("FILE");
  return parse_and_run(app, argc, argv, [&] { return run(o); });
}
