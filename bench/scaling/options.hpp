// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <generate/options.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/options.hpp>

#include "defaults.hpp"

namespace hogwild::bench {

enum class engine_kind { serial, threads, processes, ring };
std::string_view name_of(engine_kind kind);

/// Which programs of others take turns with ours, and where those are that no search finds.
struct rival_options {
  std::vector<std::string> names;   ///< see rivals/rival.hpp
  std::string stick, hazy;          ///< programs; empty: not given
  std::size_t exchange_rows = 512;  ///< of the stick's workers
  double limit_seconds = 600.0;     ///< that one run of a program may take
};

/// What bench_scaling was asked to measure.
struct bench_options {
  std::string train, test;  ///< LIBSVM files; no test file: empty
  bool generated = false;   ///< make the data instead, of this shape
  generate::options shape{};
  bool half = false;  ///< keep values in half precision
  std::string set;    ///< name of the known set (see sets.hpp) that the data and steps are of; empty: none

  std::vector<std::string> models;
  std::vector<engine_kind> engines;
  std::vector<std::size_t> workers;
  std::vector<update_kind> updates;
  std::vector<sharing_kind> sharing;
  std::vector<ring_rule> exchange;             ///< rules of the ring
  bool reproducible = false;                   ///< measure the reproducible mode too
  hogwild::isa isa = hogwild::isa::automatic;  ///< of the kernels
  std::size_t virtual_workers = 0;             ///< of the reproducible mode; 0: the library's default
  std::size_t epochs = defaults::epochs;
  std::size_t repeats = defaults::repeats;
  std::optional<double> step{}, decay{}, l2{};  ///< what is missing is found once a model, by the serial reference
  double tolerance = defaults::tolerance;
  std::optional<target_option> target{};
  std::optional<double> target_gap{};  ///< the target is an objective that misses the serial reference by this fraction
  std::uint64_t seed = defaults::seed;
  bool oversubscribe = false;  ///< measure points with more workers than CPUs too

  rival_options rivals{};
  double budget_seconds = 0.0;  ///< rounds that would exceed it are left out; 0: none

  bool scaling = true;     ///< the table of configurations
  bool telemetry = false;  ///< what telemetry costs
  bool ingest = false;     ///< how fast text becomes arrays, and a warm start
  bool pss = false;        ///< how much memory P processes take
  std::stop_token stop{};  ///< a request ends the program between two epochs, with everything tidied up
  std::string out;         ///< folder for the record; empty: none
};

/// Reads the command line. Nothing where only help was asked for (and printed); throws config_error for what does not
/// hold.
std::optional<bench_options> read_options(int argc, const char* const* argv);

}  // namespace hogwild::bench
