// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>

#include "formats/labelled_text_parser.hpp"
#include "formats/table_layout.hpp"
#include "formats/table_parser.hpp"
#include "formats/table_schema.hpp"
#include "formats/vw_parser.hpp"
#include "text/decimal.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"

namespace {

using namespace hogwild;

/// The result of parsing a text, in one block or in many.
struct parsed {
  std::size_t rows = 0, entries = 0;
  bool fault = false;
};

/// A parser of this text by a schema that learns values and labels. `found` outlives it.
template <class Parser>
Parser parser_of(const table_schema& schema, detail::table_findings& found) {
  found.values.resize(schema.columns.size());
  found.sizes.resize(schema.columns.size());
  for (auto& values : found.values)
    values = std::make_unique<detail::name_numbers>(std::vector<std::string>{}, 1u << 20, "");
  found.labels = std::make_unique<detail::name_numbers>(std::vector<std::string>{}, 1u << 20, "");
  found.counts_rows = true;
  if constexpr (std::is_same_v<Parser, detail::table_parser>) {
    found.labels.reset();
    std::vector<std::size_t> places(detail::columns_in_files(schema));
    for (std::size_t f = 0; f < places.size(); ++f) places[f] = f;
    return {schema, {.places = std::move(places)}, true, found};
  } else if constexpr (std::is_same_v<Parser, detail::labelled_text_parser>) {
    return {schema, true, found};
  } else {
    return detail::vw_parser(schema);
  }
}

template <class Parser>
parsed parse(std::string_view text, const table_schema& schema, std::size_t block_bytes) {
  detail::table_findings found;
  const auto parser = parser_of<Parser>(schema, found);
  parsed all;
  const bool quoted = schema.text == named_text::table && schema.quotes;
  const auto input = detail::open_input_memory(text, "fuzz", {.block_bytes = block_bytes, .quoted = quoted});
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

/// The rows do not depend on the size of the blocks, nor the schema on being written and read.
template <class Parser>
void require_same(const std::string& text, const table_schema& schema) {
  if (detail::schema_text(detail::parse_schema(detail::schema_text(schema), "fuzz")) != detail::schema_text(schema))
    std::abort();
  const parsed whole = parse<Parser>(text, schema, std::size_t{1} << 20), parts = parse<Parser>(text, schema, 16);
  if (whole.fault != parts.fault || whole.rows != parts.rows || whole.entries != parts.entries) std::abort();
}

/// Columns as lists, texts and dates in turn, and a combination of them.
table_schema of_many_kinds(table_schema schema) {
  constexpr table_kind kinds[] = {table_kind::list, table_kind::date, table_kind::text, table_kind::weight,
                                  table_kind::numeric};
  for (std::size_t c = 0; c < schema.columns.size(); ++c) schema.columns[c].kind = kinds[c % std::size(kinds)];
  schema.word_ngrams = 2;
  const auto has_star = [](const table_column& column) { return column.name.find('*') != std::string::npos; };
  if (schema.columns.size() > 1 && std::ranges::none_of(schema.columns, has_star)) {
    schema.columns.push_back(
        {.name = schema.columns[0].name + "*" + schema.columns[1].name, .kind = table_kind::interaction});
    schema.values.emplace_back();
  }
  return schema;
}

}  // namespace

// Any text: refused with a place inside it, or read into the same rows whatever the size of the blocks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // A byte order mark is the stream's to skip, and a block of blank lines alone is refused.
  if (text.empty() || text != detail::without_mark(text) || text.find_first_not_of(" \t\r\n") != 0) return 0;
  const std::string padded = text + '\n' + std::string(detail::text_padding, '\0');
  const std::string_view records(padded.data(), text.size() + 1);
  for (const bool quotes : {true, false}) {
    try {
      const table_schema schema = detail::look_at_records(records, {.quotes = quotes}, "fuzz").schema;
      require_same<detail::table_parser>(text, schema);
      require_same<detail::table_parser>(text, of_many_kinds(schema));
    } catch (const error&) {
      // refused
    }
  }
  table_schema words{.text = named_text::labelled_text, .value_bits = 30, .min_rows = 2, .word_ngrams = 3};
  words.least_characters = 2, words.most_characters = 4;
  words.columns = {
      {"word", table_kind::text}, {"ngram", table_kind::interaction}, {"subword", table_kind::interaction}};
  words.values.resize(words.columns.size());
  table_schema features{.text = named_text::vowpal_wabbit, .hash_bits = 10, .value_bits = 30, .word_ngrams = 3};
  features.word_skips = 1;
  features.columns = {
      {"feature", table_kind::categorical}, {"i", table_kind::ignored}, {"a*b*c", table_kind::interaction}};
  features.values.resize(features.columns.size());
  try {
    require_same<detail::labelled_text_parser>(text, words);
    require_same<detail::vw_parser>(text, features);
  } catch (const error&) {
    // the stream refuses bytes that no text has
  }
  try {
    static_cast<void>(detail::parse_schema(text, "fuzz"));
  } catch (const input_error&) {
    // refused
  }
  return 0;
}
