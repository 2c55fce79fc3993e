// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <hogwild/error.hpp>

#include "formats/matrix_rows.hpp"
#include "formats/matrix_text.hpp"
#include "text/input_stream.hpp"

namespace {

using namespace hogwild;

void check(const detail::parsed_text& text, const detail::matrix_header& header) {
  std::size_t rows = 0, nonzeros = 0;
  for (const detail::row_block& block : text.blocks) {
    if (block.row_end.size() != block.label.size() || block.row_end.back() != block.entries) std::abort();
    std::size_t k = 0;
    for (const std::uint32_t end : block.row_end)
      for (const std::size_t first = k; k < end; ++k)
        if (block.index[k] >= header.columns || (k > first && block.index[k] <= block.index[k - 1])) std::abort();
    rows += block.label.size();
    nonzeros += block.entries;
  }
  if (rows != header.rows || text.rows != rows || text.nonzeros != nonzeros || nonzeros > header.entries ||
      text.columns > header.columns)
    std::abort();
}

}  // namespace

// Any bytes: refused, or a matrix of the announced size whose rows ascend; in blocks of any size.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const auto input = detail::open_input_memory(bytes, "fuzz", 1 + std::size_t{data[0]});
    detail::matrix_text text = detail::read_matrix(*input);
    const detail::matrix_header header = text.header;
    // Rows of no bytes would take memory.
    if (header.rows <= 65536) check(*detail::rows_of(std::move(text), {}, "fuzz"), header);
  } catch (const input_error&) {
  }
  return 0;
}
