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
#include <hogwild/options.hpp>

#include "defaults.hpp"

namespace hogwild::bench {

enum class engine_kind { serial, threads, processes };
std::string_view name_of(engine_kind kind);

/// What bench_scaling was asked to measure.
struct bench_options {
  std::string train, test;  ///< LIBSVM files; no test file: empty
  bool generated = false;   ///< make the data instead, of this shape
  generate::options shape{};

  std::vector<std::string> models;
  std::vector<engine_kind> engines;
  std::vector<std::size_t> workers;
  std::vector<update_kind> updates;
  std::size_t epochs = defaults::epochs;
  std::size_t repeats = defaults::repeats;
  std::optional<double> step{}, decay{}, l2{};  ///< what is missing is found once a model, by the serial reference
  double tolerance = defaults::tolerance;
  std::optional<target_option> target{};
  std::uint64_t seed = defaults::seed;
  bool oversubscribe = false;  ///< measure points with more workers than CPUs too

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
