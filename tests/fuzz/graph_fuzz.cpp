// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <hogwild/error.hpp>

#include "formats/graph_rows.hpp"

namespace {

using namespace hogwild;

void check_rows(const detail::parsed_text& text) {
  std::size_t rows = 0;
  for (const detail::row_block& block : text.blocks) {
    if (block.row_end.size() != block.label.size() || block.row_end.back() != block.entries) std::abort();
    rows += block.label.size();
    for (std::size_t k = 0; k < block.entries; ++k)
      if (block.index[k] >= text.columns || !std::isfinite(block.value[k]) || block.value[k] < 0.0f) std::abort();
  }
  if (rows != text.rows) std::abort();
}

}  // namespace

// Any text: refused with a place, or read into rows whose columns and capacities are in range.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const graph_format format : {graph_format::dimacs, graph_format::labelled}) {
    try {
      const detail::graph g = detail::read_graph(text, "text", format);
      const auto terminals = detail::draw_terminals(g, {.terminals = 0.5});
      check_rows(*detail::node_rows(g, terminals, size, "text"));
      check_rows(*detail::edge_rows(g, terminals, "text"));
    } catch (const format_error& e) {
      if (e.line() == 0 || e.line() > size + 1 || e.column() == 0 || e.column() > size + 1) std::abort();
    } catch (const input_error&) {
    }
  }
  return 0;
}
