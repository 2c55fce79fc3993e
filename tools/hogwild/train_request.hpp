// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <hogwild/options.hpp>
#include <hogwild/team.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

enum class engine_name { serial, threads, processes, ring };

/// What `hogwild train` was asked for.
struct train_request {
  std::string data, test, validation_file;
  data_options files{};

  std::string model = "logistic";
  double huber_delta = 1.0;

  engine_name engine = engine_name::threads;
  std::size_t workers = 0;  ///< 0: as many as this process may use
  team_kind team = team_kind::openmp;
  bool pin = true;
  std::size_t replicas = 0;  ///< on the ring; 0: one for each memory node
  ring_rule exchange = ring_rule::deltas;
  ring_transport transport = ring_transport::in_process;

  train_options options{};
  std::string save;
  bool overlap = false;  ///< the first epoch is trained while the text is parsed
  bool json = false;
};

/// Fills the request, or says with which exit code to end. Throws config_error for options that do not go together.
std::optional<int> parse_train(int argc, const char* const* argv, train_request& request);

}  // namespace hogwild::cli
