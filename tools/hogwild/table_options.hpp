// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <hogwild/dataset.hpp>
#include <hogwild/formats/tables.hpp>
#include <hogwild/saved_model.hpp>

#include "command_line.hpp"

namespace hogwild::cli {

/// The options of commands that train on tables.
struct table_options {
  table_request request{};
  bool asked = false;  ///< an option was given
  /// The schema of the training data or of the saved model; without columns until it is known. Copies share it.
  std::shared_ptr<table_schema> schema = std::make_shared<table_schema>();

  void declare(command_line& line);
  /// Takes the schema of a saved model. Throws config_error if an option was given, too.
  void take_schema(const saved_model& model, const std::string& path);
  /// Opens a table: by the schema if there is one, else as the options say; then the schema is that of this table.
  /// Tells what the columns are read as unless `quiet`.
  sparse_dataset open(const std::string& path, const open_options& opening, bool quiet) const;
};

}  // namespace hogwild::cli
