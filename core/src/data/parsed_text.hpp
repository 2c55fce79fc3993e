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
#include "data/input_stream.hpp"
#include "data/row_format.hpp"
#include "data/spilled_text.hpp"
#include "formats/libsvm_parser.hpp"

namespace hogwild::detail {

/// All rows of a text, block by block in the order of the text, or in a file where they are too many.
struct parsed_text {
  std::vector<libsvm_block> blocks;
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
  std::size_t columns = 0;                  ///< one more than the largest index
  std::uint32_t first_number = 1;           ///< of the input for the column of index 0
  bool lists = false;                       ///< rows have lists of labels
  label_spelling spelling{};                ///< of the labels
  image_shape image{};                      ///< of rows that are images
  std::unique_ptr<spilled_text> spilled{};  ///< then there are no blocks
};

/// Blocks of text that are held at once, for each thread.
inline constexpr std::size_t blocks_in_flight = 4;

struct parse_options {
  bool labels_optional = false;
  isa set = isa::automatic;
  const row_format* format = nullptr;    ///< null: LIBSVM text
  const spill_options* spill = nullptr;  ///< null: all rows are held, however many they are
  /// Is called, at most once, with what the user is to be told of the text; may be empty.
  std::function<void(const std::string& sentence)> note{};
};

/// Parses all blocks in parallel, with the threads of the arena that it is called in. Throws format_error for the
/// earliest faulty line, whatever the timing, else what the stream throws; a text without rows is a format_error at
/// 1:1, and so is one that begins as another kind of text than the format, at the place that tells it. Of the text
/// itself no more is held at once than blocks_in_flight blocks a thread, however long it is; of the rows, eight bytes
/// an entry and twelve a row, unless they go to a file. Throws resource_error where that fails.
std::unique_ptr<parsed_text> parse_all(input_stream& input, const parse_options& options = {});

}  // namespace hogwild::detail
