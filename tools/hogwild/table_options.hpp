// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/formats/tables.hpp>
#include <hogwild/saved_model.hpp>

#include "command_line.hpp"

namespace hogwild::cli {

/// An option for tables, of the command or a line of --columns.
struct table_word {
  std::string_view word, placeholder;
  unsigned texts;  ///< a bit 1 << named_text for each text that it is for
  std::string_view help;
  /// Returns a message about a fault, or an empty text.
  std::string (*set)(table_request& request, const std::string& text);
};
/// All but --columns.
std::span<const table_word> table_words();
inline constexpr std::string_view columns_option = "--columns";

/// The options of commands that train on tables.
struct table_options {
  table_request request{};
  std::vector<const table_word*> given{};  ///< the options that were given, by --columns, too
  bool from_file = false;                  ///< --columns was given
  /// The schema of the training data or of the saved model; without columns until it is known. Copies share it.
  std::shared_ptr<table_schema> schema = std::make_shared<table_schema>();

  void declare(command_line& line);
  bool asked() const { return from_file || !given.empty(); }
  /// The option to name in a message; empty if none was given.
  std::string first_given() const;
  /// Takes an option. Returns a message about a fault, or an empty text.
  std::string take(const table_word& word, const std::string& text);
  /// Throws config_error for an option that is not for the text of this format, which the request names.
  void require_suitable(const std::string& format) const;
  /// Throws config_error if an option was given, because the data are of this format.
  void refuse(const std::string& format) const;
  /// Takes the schema of a saved model. Throws config_error if an option was given, too.
  void take_schema(const saved_model& model, const std::string& path);
  /// Opens a table: by the schema if there is one, else as the options say; then the schema is that of this table.
  /// Tells what the columns are read as unless `quiet`.
  sparse_dataset open(const std::string& path, const open_options& opening, bool quiet) const;
};

}  // namespace hogwild::cli
