// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_line.hpp"
#include "data_files.hpp"

namespace hogwild::cli {

/// The part of `hogwild convert` that writes the rows of a data file as text, in the order of the file.
struct row_conversion {
  data_options files{};
  std::string columns_of{};  ///< a saved model by whose columns the rows are read; empty: they are read to train on
  std::string names{};       ///< file for the names of columns and labels; empty: none
  std::string weights{};     ///< file for the weights of the rows; empty: none
  std::string offsets{};     ///< likewise for their offsets

  void declare(command_line& line);
  /// Whether `in` is data and not a model: by its content, and by `out` where that says nothing.
  bool applies_to(const std::string& in, const std::string& out) const;
  /// Throws config_error if an option was given that is for data.
  static void refuse_options(const command_line& line);
  /// Writes the rows of `in` to `out`, whose name says the format.
  void write(const std::string& in, const std::string& out);
};

}  // namespace hogwild::cli
