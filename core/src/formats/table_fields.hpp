// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/text_fields.hpp"

namespace hogwild::detail {

/// The line and the column of a byte in a text, both from 1.
struct text_position {
  std::size_t line, column;
};
text_position position_of(std::size_t at, std::string_view text);

/// Cuts records into fields (formats/tables.hpp).
class record_cutter {
 public:
  record_cutter(char separator, bool quotes);

  /// Cuts the record at the beginning of `text`, which ends with a newline and is followed by text_padding readable
  /// bytes. Returns its bytes with the line end, and a fault if it cannot be cut; places of fields count from the
  /// beginning of the text.
  struct cut_record {
    std::size_t bytes = 0;
    std::size_t lines = 1;  ///< line ends in it, with its own
    field_fault fault{};
  };
  cut_record cut(std::string_view text, std::vector<text_field>& fields) const;

 private:
  /// The place, from `at` on, at which a field without quotation marks ends, or is at fault.
  std::size_t field_end(std::string_view text, std::size_t at) const;
  field_fault cut_quoted(std::string_view text, std::size_t& at, std::vector<text_field>& fields) const;

  char separator_;
  bool quotes_;
  std::uint64_t separators_, marks_;  ///< eight of them; newlines if quotation marks are ordinary characters
};

}  // namespace hogwild::detail
