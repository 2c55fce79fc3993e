// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>

#include "formats/table_layout.hpp"
#include "formats/table_parser.hpp"
#include "formats/table_schema.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"

namespace {

using namespace hogwild;

/// The result of parsing a text, in one block or in many.
struct parsed {
  std::size_t rows = 0, entries = 0;
  bool fault = false;
};

parsed parse(std::string_view text, const table_schema& schema, std::size_t block_bytes) {
  detail::table_findings found;
  found.values.resize(schema.columns.size());
  found.sizes.resize(schema.columns.size());
  for (auto& values : found.values)
    values = std::make_unique<detail::name_numbers>(std::vector<std::string>{}, 1u << 20, "");
  std::vector<std::size_t> places(schema.columns.size());
  for (std::size_t f = 0; f < places.size(); ++f) places[f] = f;
  const detail::table_parser parser(schema, places, true, found);
  parsed all;
  const auto input = detail::open_input_memory(text, "fuzz", {.block_bytes = block_bytes, .quoted = schema.quotes});
  for (bool first = true; const auto block = input->next(); first = false) {
    std::vector<std::uint32_t> index(parser.capacity(block->text));
    std::vector<float> value(index.size());
    detail::row_block rows;
    rows.index = index.data(), rows.value = value.data();
    parser.parse(block->text, {.labels_optional = true, .first = first}, rows);
    if (rows.entries > index.size() || (!rows.fault && rows.label.size() != rows.row_end.size())) std::abort();
    for (std::size_t k = 0; k < rows.entries; ++k)
      if (index[k] >= rows.columns || index[k] >> schema.value_bits >= schema.columns.size() ||
          !std::isfinite(value[k]))
        std::abort();
    all.rows += rows.row_end.size();
    all.entries += rows.row_end.empty() ? 0 : rows.row_end.back();
    if (!rows.fault) continue;
    if (rows.fault->line == 0 || rows.fault->column == 0 || rows.fault->column > block->text.size() + 1) std::abort();
    all.fault = true;
    break;
  }
  return all;
}

}  // namespace

// Any text: refused with a place inside it, or read into the same rows whatever the size of the blocks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // A byte order mark is the stream's to skip, and a block of blank lines alone is refused.
  if (text.empty() || text != detail::without_mark(text) || text.find_first_not_of(" \t\r\n") != 0) return 0;
  for (const bool quotes : {true, false}) {
    try {
      const std::string head = text + '\n';
      const table_schema schema = detail::look_at_records(head, {.quotes = quotes}, "fuzz").schema;
      if (detail::schema_text(detail::parse_schema(detail::schema_text(schema), "fuzz")) != detail::schema_text(schema))
        std::abort();
      const parsed whole = parse(text, schema, std::size_t{1} << 20), parts = parse(text, schema, 16);
      if (whole.fault != parts.fault || whole.rows != parts.rows || whole.entries != parts.entries) std::abort();
    } catch (const error&) {
      // refused
    }
  }
  try {
    static_cast<void>(detail::parse_schema(text, "fuzz"));
  } catch (const input_error&) {
    // refused
  }
  return 0;
}
