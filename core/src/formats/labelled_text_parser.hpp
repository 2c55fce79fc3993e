// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <hogwild/formats/tables.hpp>

#include "data/row_block.hpp"
#include "data/row_format.hpp"
#include "formats/table_findings.hpp"

namespace hogwild::detail {

/// The columns of a labelled text's schema, in this order.
enum class labelled_text_column : std::uint32_t { word, ngram, subword };

/// Parses lines of fastText's labelled text: "__label__LABEL __label__LABEL word word ...". Words are what stands
/// between blanks. Any number of threads may parse blocks at the same time.
class labelled_text_parser {
 public:
  /// As table_parser().
  labelled_text_parser(const table_schema& schema, bool learns, table_findings& found);

  std::size_t capacity(std::string_view text) const;
  /// Parses whole lines, as row_format::parse.
  void parse(std::string_view text, const block_context& context, row_block& rows) const;

 private:
  struct reading;
  bool read_line(reading& in, std::string_view line) const;
  bool read_label(reading& in, std::size_t at, std::string_view label) const;
  void finish_labels(reading& in) const;
  void add_entries(reading& in) const;

  const table_schema& schema_;
  bool learns_;
  table_findings& found_;
};

}  // namespace hogwild::detail
