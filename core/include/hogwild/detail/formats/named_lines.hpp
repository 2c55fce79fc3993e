// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/formats/tables.hpp>

namespace hogwild {

/// Reads rows from text with named columns that comes piece by piece. The column of a value does not depend on other
/// rows: it has one by hash, or by the names of a saved model; a value without a name has no entry. Numbers are divided
/// as the schema says, and not at all by a request.
class named_lines {
 public:
  /// Throws config_error for a request whose columns depend on all rows: labels in words, or rare values.
  explicit named_lines(const table_request& how);
  /// Reads text by a schema, whose header is looked for in the first piece. `labels_optional`: as in open_options.
  explicit named_lines(const table_schema& schema, bool labels_optional = false);
  ~named_lines();
  named_lines(const named_lines&) = delete;
  named_lines& operator=(const named_lines&) = delete;

  /// Looks at the first piece, which has the whole first record, and returns the bytes that are no rows: the header and
  /// blank lines before it. Called once, before parse(). Throws as open_table().
  std::size_t begin(std::string_view first, const std::string& source);
  /// Parses whole records. Columns are numbers in the input less 1. Any number of threads may call it at once. Throws
  /// format_error.
  libsvm_rows parse(std::string_view lines, const std::string& source) const;

  const table_schema& schema() const;  ///< complete after begin()

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace hogwild
