// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/isa.hpp>

#include "data/entry_piece.hpp"
#include "data/row_block.hpp"
#include "data/row_format.hpp"
#include "data/spilled_text.hpp"
#include "text/input_stream.hpp"

namespace hogwild::detail {

/// All rows of a text, block by block in the order of the text, or in a file if there are too many.
struct parsed_text {
  std::vector<row_block> blocks;
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
  std::size_t columns = 0;                  ///< one more than the largest index
  std::uint32_t first_number = 1;           ///< the input's number of the column with index 0
  bool lists = false;                       ///< rows have lists of labels
  label_spelling spelling{};                ///< spelling of the labels
  image_shape image{};                      ///< for rows that are images
  std::unique_ptr<spilled_text> spilled{};  ///< if set, there are no blocks
  std::vector<std::byte> schema{};          ///< of a table
  stated_numbers stated{};                  ///< in the order of the text

  /// The words of a cache behind the table of labels: the schema, if there is one, what the
  /// text states for the rows, and the spelling.
  std::vector<std::uint64_t> label_text() const;
};

/// A row among the blocks of a text.
struct row_place {
  std::uint32_t block;
  std::uint32_t row;
};

/// Changes all rows of a text that is training data: calls change(block) for each block, for several at once; it may
/// change indices, values and labels, leave out entries, and sets block.columns. Rows in a file are written
/// again. Throws resource_error; `source` is the text's name.
void change_rows(parsed_text& text, const std::string& source, const std::function<void(row_block& block)>& change);

/// Blocks of text that are held at once, for each thread.
inline constexpr std::size_t blocks_in_flight = 4;

struct parse_options {
  bool labels_optional = false, empty_lists = false;  ///< as in open_options
  isa set = isa::automatic;
  const spill_options* spill = nullptr;  ///< null: all rows are held in memory, however many
  /// Called with each sentence for the user about the text; may be empty.
  std::function<void(const std::string& sentence)> note{};
};

/// Parses all blocks in parallel, with the threads of the current arena. Throws format_error for the earliest faulty
/// line, whatever the timing, else what the stream throws. A text without rows is a format_error at 1:1; a text that
/// begins like another format is one at the place that shows it. At most blocks_in_flight blocks of text a thread are
/// held at once, however long the text; of the rows, eight bytes an entry and twelve a row, unless they go to a file.
/// Throws resource_error if that fails.
std::unique_ptr<parsed_text> parse_all(input_stream& input, const row_format& format,
                                       const parse_options& options = {});

}  // namespace hogwild::detail
