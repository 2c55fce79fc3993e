// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <hogwild/options.hpp>
#include <hogwild/team.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

enum class engine_name { serial, threads, processes };

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

  train_options options{};
  std::string save;
  bool overlap = false;  ///< the first epoch is trained while the text is parsed
  bool json = false;
};

/// Fills the request, or says with which exit code to end. Throws config_error for options that do not go together.
std::optional<int> parse_train(int argc, const char* const* argv, train_request& request);

}  // namespace hogwild::cli
