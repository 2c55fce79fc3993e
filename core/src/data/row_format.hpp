// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/isa.hpp>

#include "data/row_block.hpp"
#include "text/input_stream.hpp"

namespace hogwild::detail {

struct parsed_text;

/// The format from which rows were read; it determines which numbers are valid (cache_meaning.hpp). Stored in files:
/// numbers are never reused.
enum class input_format : std::uint16_t {
  libsvm = 0,
  ratings = 1,
  idx = 2,
  cifar = 3,
  graph = 4,
  libffm = 5,
  corpus = 6,
  of_program = 7,  ///< made by a program, or a copy of some rows: not from a file
  table = 8,
  matrix_market = 9,
  pairs = 10,
  triples = 11,
};
inline constexpr input_format last_input_format = input_format::triples;

/// A parser's input besides the text of a block.
struct block_context {
  bool labels_optional = false;
  isa set = isa::automatic;
  bool first = false;  ///< the text begins with this block
};

/// A format of rows: how they are parsed, and the order that they keep.
struct row_format {
  input_format kind = input_format::libsvm;
  std::string_view name{};         ///< for line formats, the name for users: texts of other formats are refused
  std::uint32_t first_number = 1;  ///< the input's number of the column with index 0
  /// The most entries in a block of this text.
  std::function<std::size_t(std::string_view text)> capacity{};
  /// Like parse_libsvm_block: parses whole lines into the block, which holds capacity(text) entries; faults are
  /// stored in it.
  std::function<void(std::string_view text, const block_context& context, row_block& rows)> parse{};
  /// Looks at the first block of a text before any block is parsed, one thread at a time; null: not needed. Returns a
  /// sentence for the user, or nothing. Throws input_error; `source` is the file's name.
  std::function<std::string(std::string_view text, const block_context& context, const std::string& source)> begin{};
  /// Even indices are one kind of column, odd ones another: all positions of the first kind come before the second's.
  bool by_kind = false;
  /// The order of a row's entries has a meaning.
  bool keep_entry_order = false;
  /// For input that is not line by line: reads all of it, from a path or "-". Null: lines, by `parse`.
  std::function<std::unique_ptr<parsed_text>(const std::string& path)> whole{};
  /// A field in quotation marks may contain line ends.
  bool quoted = false;
  /// Bytes of the names that parse() keeps so far; called at any time. Null: none.
  std::function<std::size_t()> names{};
  /// Called once when all rows are parsed: gives names that were met in any order their final numbers, and the text its
  /// schema. Null: not needed.
  std::function<void(parsed_text& text)> settle{};
  /// Digest of what else determines the rows: the state of other files (labels beside images), the request for a table;
  /// part of the cache key.
  std::uint64_t companions = 0;
};

/// Opens rows of a format, as open_libsvm does LIBSVM text.
sparse_dataset open_rows(const std::string& path, const open_options& options, const row_format& format);

}  // namespace hogwild::detail
