// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <hogwild/formats/tables.hpp>

#include "data/parsed_text.hpp"
#include "data/row_block.hpp"
#include "data/row_format.hpp"
#include "formats/labelled_text_parser.hpp"
#include "formats/table_findings.hpp"
#include "formats/table_parser.hpp"
#include "formats/vw_parser.hpp"

namespace hogwild::detail {

/// A text with named columns that is being parsed: its schema as far as it is known, the findings and the parser.
struct table_reading {
  table_schema schema{};
  table_findings found{};
  std::variant<std::monostate, table_parser, labelled_text_parser, vw_parser> parser{};

  /// Prepares names for the columns and labels that need them, and the parser. `columns` are those of a table.
  void begin(file_columns columns, bool learns, bool word_labels);
  /// As row_format::capacity and row_format::parse.
  std::size_t capacity(std::string_view text) const;
  void parse(std::string_view text, const block_context& context, row_block& rows) const;
  /// Gives values and labels their final numbers, divides numbers, and gives the text its schema. To be called once,
  /// and nothing after it. Throws input_error.
  void settle(parsed_text& text, const std::string& source);
  /// Bytes of the names met so far.
  std::size_t names() const;

 private:
  /// The change of a column's entries.
  struct final_column {
    std::vector<std::uint32_t> values{};  ///< the numbers of its values; empty: they stay
    double divisor = 1.0;                 ///< a power of two
  };

  /// The numbers in the column's entries for the values of a column, by their provisional numbers.
  std::vector<std::uint32_t> settle_values(std::size_t column);
  /// Entries of a row that become entries of one column, that of rare values, are added up.
  void change_entries(row_block& block, const std::vector<final_column>& final, const std::string& source) const;
};

}  // namespace hogwild::detail
