// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/tables.hpp>

#include "data/row_block.hpp"
#include "data/row_format.hpp"
#include "formats/name_numbers.hpp"
#include "formats/table_fields.hpp"

namespace hogwild::detail {

/// The names of values and labels that have numbers; null where there are none.
struct table_names {
  std::vector<std::unique_ptr<name_numbers>> values{};  ///< for each column of the schema; value number - 1
  std::unique_ptr<name_numbers> labels{};
};

/// Parses the records of a table. Any number of threads may parse blocks of it at the same time.
class table_parser {
 public:
  /// For a file with these columns (match_columns()). `learns`: values and labels without a number get provisional
  /// ones; otherwise such values get the number that no column has, and such labels are refused. `names` has entries
  /// for the columns and labels that need them, and outlives this, as does `schema`.
  table_parser(const table_schema& schema, std::vector<std::size_t> places, bool learns, table_names& names);

  /// Room for the entries of a block of text: one for each field of a line.
  std::size_t capacity(std::string_view text) const {
    return places_.size() * static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  /// Parses whole records, as row_format::parse.
  void parse(std::string_view text, const block_context& context, row_block& rows) const;

 private:
  struct reading;
  bool read_record(reading& in) const;
  bool read_label(reading& in, const text_field& field) const;
  bool read_number(reading& in, std::size_t column, const text_field& field) const;
  bool read_value(reading& in, std::size_t column, const text_field& field) const;

  const table_schema& schema_;
  std::vector<std::size_t> places_;  ///< for each field of the file
  record_cutter cutter_;
  bool learns_;
  bool has_label_ = false;  ///< in the file
  table_names& names_;
};

}  // namespace hogwild::detail
