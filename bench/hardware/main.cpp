// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/error.hpp>

#include "exchange.hpp"
#include "ping_pong.hpp"
#include "pinned.hpp"
#include "stream.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::bench;
using json = nlohmann::ordered_json;

struct hardware_options {
  std::size_t stream_bytes = std::size_t{256} << 20;
  std::size_t turns = 5000;
  std::size_t lines = 4096;
  std::size_t most_pairs_of = 32;
  double budget_seconds = 0.0;
  std::string out;
};

/// The lines of the record, to the file or to standard output.
class record {
 public:
  explicit record(const std::string& path) : path_(path) {
    if (path.empty()) return;
    file_.open(path);
    if (!file_) throw input_error(path + ": cannot be written; name another file with --out");
  }
  void put(const json& line) {
    std::ostream& to = path_.empty() ? std::cout : file_;
    to << line.dump() << std::endl;
    if (!to) throw resource_error((path_.empty() ? "standard output" : path_) + ": cannot be written");
  }

 private:
  std::string path_;
  std::ofstream file_;
};

json context() {
  const machine_facts m = this_machine();
  json machine{{"cpu_model", m.cpu_model},   {"logical_cpus", m.logical_cpus}, {"usable_cpus", m.usable_cpus},
               {"numa_nodes", m.numa_nodes}, {"memory_bytes", m.memory_bytes}, {"kernel", m.kernel}};
  if (m.cpu_quota) machine["cpu_quota"] = *m.cpu_quota;
  if (m.governor) machine["governor"] = *m.governor;
  return {{"kind", "context"},
          {"schema", 1},
          {"version", build_info.version},
          {"commit", build_info.commit},
          {"build_type", build_info.build_type},
          {"compiler", build_info.compiler},
          {"machine", std::move(machine)}};
}

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
  record out(o.out);
  out.put(context());
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
  try {
    app.parse(argc, argv);
    return run(o);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& fault) {
    std::fprintf(stderr, "bench_hardware: %s\n", fault.what());
    return static_cast<int>(exit_code::usage);
  } catch (const error& e) {
    std::fprintf(stderr, "bench_hardware: %s\n", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_hardware: internal fault: %s\n", e.what());
    return static_cast<int>(exit_code::internal);
  }
}
