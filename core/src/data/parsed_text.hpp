// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/isa.hpp>

#include "data/input_stream.hpp"
#include "data/row_format.hpp"
#include "formats/libsvm_parser.hpp"

namespace hogwild::detail {

/// Memory for entries, in pieces that are never moved. A thread draws from a piece of its own.
class entry_pool {
 public:
  struct piece {
    std::uint32_t* index = nullptr;
    float* value = nullptr;
    std::size_t left = 0;

    void take(std::size_t entries) { index += entries, value += entries, left -= entries; }
  };

  /// A piece with room for at least `entries`. Any thread may call it. Throws std::bad_alloc.
  piece allocate(std::size_t entries);

 private:
  struct release {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::mutex mutex_;
  std::vector<std::unique_ptr<void, release>> memory_;
};

/// All rows of a text, block by block in the order of the text.
struct parsed_text {
  std::vector<libsvm_block> blocks;
  entry_pool pool;
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
  std::size_t columns = 0;  ///< one more than the largest index
  bool lists = false;       ///< rows have lists of labels
  image_shape image{};      ///< of rows that are images
};

/// Blocks of text that are held at once, for each thread.
inline constexpr std::size_t blocks_in_flight = 4;

struct parse_options {
  bool labels_optional = false;
  isa set = isa::automatic;
  const row_format* format = nullptr;  ///< null: LIBSVM text
};

/// Parses all blocks in parallel, with the threads of the arena that it is called in. Throws format_error for the
/// earliest faulty line, whatever the timing, else what the stream throws; a text without rows is a format_error at
/// 1:1. Of the text itself no more is held at once than blocks_in_flight blocks a thread, however long it is; of the
/// rows, eight bytes an entry and twelve a row.
std::unique_ptr<parsed_text> parse_all(input_stream& input, const parse_options& options = {});

}  // namespace hogwild::detail
