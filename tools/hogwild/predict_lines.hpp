// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <hogwild/dataset.hpp>

#include "arriving_lines.hpp"

namespace hogwild::cli {

/// Rows that are answered as their lines come.
struct line_request {
  int descriptor = -1;
  std::string name{};       ///< of the text, in messages
  record_rule rule{};       ///< between rows
  bool table = false;       ///< the text is a table
  bool header = false;      ///< the first record has the names of the columns
  bool one_column = false;  ///< a table without a header has one column, so that a blank line is a row
  bool comments = false;    ///< a line that begins with '#' is no row
  bool skip_bad = false;    ///< a faulty row is left out, with a note, instead of ending the run
  /// Parses whole records in memory, which come behind `head`: throws format_error for the first faulty one, whose line
  /// counts without the head. It finds faults sooner than `open` does; those that it does not know `open` finds. Null:
  /// there is no such parser.
  std::function<void(std::string_view head, std::string_view records)> check{};
  /// Opens rows from the text in a file. Its notes call the text by the file's path.
  std::function<sparse_dataset(const std::string& path)> open{};
  std::function<void(const sparse_dataset& rows)> answer{};  ///< called with rows in their order
};

/// Answers rows until the text ends. Returns how many were skipped. Throws what `open` and `answer` throw; messages
/// about a row have its place in the whole text, and the rows before it have been answered.
std::size_t answer_lines(const line_request& request);

}  // namespace hogwild::cli
