// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/isa.hpp>

#include "data/input_stream.hpp"
#include "data/row_kind.hpp"
#include "formats/libsvm_parser.hpp"

namespace hogwild::detail {

struct parsed_text;

/// What a parser is told besides the text of a block.
struct block_context {
  bool labels_optional = false;
  isa set = isa::automatic;
  bool first = false;  ///< the text begins here
};

/// A way to write rows down: how they are parsed and which order they keep.
struct row_format {
  row_kind kind = row_kind::libsvm;
  std::string_view name{};  ///< of formats of lines, as users know it: text of another kind is refused by it
  /// Entries that a block of so much text has at most.
  std::size_t (*capacity)(std::size_t text_bytes) = nullptr;
  /// As parse_libsvm_block: whole lines into the block, which holds capacity(text.size()) entries; faults stay in it.
  std::function<void(std::string_view text, const block_context& context, libsvm_block& rows)> parse{};
  /// Looks at the first block of a text before any block is parsed, one thread at a time; null: nothing is looked for.
  /// Returns what the user is to be told, or nothing. Throws input_error, for which `source` is the file's name.
  std::function<std::string(std::string_view text, const block_context& context, const std::string& source)> begin{};
  /// Even indices are one kind of column, odd ones another: the first kind's positions all stand before the second's.
  bool by_kind = false;
  /// The order of a row's entries means something.
  bool keep_entry_order = false;
  /// Where the input is no text of lines: reads all of it, from a path or "-". Null: lines, by `parse`.
  std::function<std::unique_ptr<parsed_text>(const std::string& path)> whole{};
  /// Tells states of other files apart that are read too (labels beside images); part of the cache key.
  std::uint64_t companions = 0;
};

/// "label index:value ...".
const row_format& libsvm_row_format();

/// Opens rows of a format, as open_libsvm does LIBSVM text.
sparse_dataset open_rows(const std::string& path, const open_options& options, const row_format& format);

}  // namespace hogwild::detail
