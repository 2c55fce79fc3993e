// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <hogwild/detail/formats/libsvm.hpp>

#include "data/label_forms.hpp"
#include "data/row_block.hpp"

namespace hogwild::detail {

/// Collects rows of text that comes piece by piece, in memory. Used by one thread.
class row_reader {
 public:
  /// Room for the entries of a piece.
  using capacity_function = std::function<std::size_t(std::string_view piece)>;
  /// Parses a piece that is followed by `text_padding` readable bytes, as row_format::parse.
  using parse_function = std::function<void(std::string_view piece, row_block& block)>;

  /// `source` is the text's name in messages, and outlives this.
  row_reader(const std::string& source, capacity_function capacity, parse_function parse);

  /// Parses whole rows; the last one may end without a newline. Throws format_error.
  void append(std::string_view text);
  /// All rows. Throws format_error for labels that do not go together.
  libsvm_rows finish() &&;

 private:
  void append_labels(const row_block& block);

  const std::string& source_;
  capacity_function capacity_;
  parse_function parse_;
  std::string piece_;  ///< a copy with room behind it, since text need not have readable bytes there
  libsvm_rows rows_;
  stated_numbers stated_;
  row_block all_;  ///< labels of all pieces
  label_forms forms_;
  std::size_t lines_ = 0;
};

}  // namespace hogwild::detail
