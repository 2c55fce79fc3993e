// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/row_block.hpp"
#include "text/input_stream.hpp"

namespace hogwild::detail {

/// The announcements of a Matrix Market file (formats/matrix_market.hpp).
struct matrix_header {
  bool dense = false;                   ///< all values follow, column by column
  bool pattern = false;                 ///< entries have no values
  std::uint64_t rows = 0, columns = 0;  ///< below 2^32 - 1
  std::uint64_t entries = 0;            ///< lines that follow
};

/// The entries of a part of the text, in its order.
struct matrix_part {
  std::vector<std::uint32_t> row, column;  ///< from 0; empty if the matrix is dense
  std::vector<float> value;                ///< empty for a pattern
  std::size_t entries = 0;
  std::vector<std::size_t> blank_lines;  ///< from 1
  std::size_t lines = 0;
  std::optional<row_fault> fault{};
};

/// The whole of a Matrix Market file.
struct matrix_text {
  matrix_header header{};
  std::size_t header_lines = 0;
  std::vector<matrix_part> parts{};

  /// The line, from 1, of an entry, by its number from 0.
  std::size_t line_of(std::uint64_t entry) const;
};

/// Parses whole lines, each of which ends with a newline and is followed by text_padding readable bytes.
void parse_matrix_part(std::string_view text, const matrix_header& header, matrix_part& part);

/// Reads a Matrix Market file, blocks in parallel with the threads of the current arena. Throws format_error for the
/// earliest faulty line, else what the stream throws.
matrix_text read_matrix(input_stream& input);

}  // namespace hogwild::detail
