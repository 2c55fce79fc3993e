// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <hogwild/formats/tables.hpp>

#include "data/row_block.hpp"
#include "data/row_format.hpp"
#include "formats/table_fields.hpp"
#include "formats/table_findings.hpp"
#include "formats/table_schema.hpp"

namespace hogwild::detail {

/// Parses the records of a table. Any number of threads may parse blocks of it at the same time.
class table_parser {
 public:
  /// For a file with these columns (match_columns()). `learns`: values and labels without a number get provisional
  /// ones; otherwise such values get the number that no column has, and such labels are refused. `found` has names for
  /// the columns and labels that need them, and outlives this, as does `schema`.
  table_parser(const table_schema& schema, file_columns columns, bool learns, table_findings& found);

  /// Room for the entries of a block of text.
  std::size_t capacity(std::string_view text) const;
  /// Parses whole records, as row_format::parse.
  void parse(std::string_view text, const block_context& context, row_block& rows) const;

 private:
  struct reading;
  bool read_record(reading& in) const;
  /// Whether a text can be a label of these.
  bool is_label(std::string_view text) const;
  bool read_label(reading& in, const text_field& field) const;
  bool read_weight(reading& in, const text_field& field) const;
  bool read_number(reading& in, std::size_t column, const text_field& field) const;
  bool read_value(reading& in, std::size_t column, const text_field& field) const;
  bool read_values(reading& in, std::size_t column, const text_field& field) const;
  bool read_date_field(reading& in, std::size_t column, const text_field& field) const;
  bool add_interactions(reading& in) const;

  const table_schema& schema_;
  std::vector<std::size_t> places_;  ///< for each field of the file
  std::size_t group_;                ///< the field of the group, or no_column
  record_cutter cutter_;
  bool learns_;
  bool has_label_ = false;  ///< in the file
  std::vector<table_interaction> interactions_;
  std::vector<bool> interacts_;  ///< for each column of the schema
  table_findings& found_;
};

}  // namespace hogwild::detail
