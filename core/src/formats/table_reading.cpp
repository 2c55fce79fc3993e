// SPDX-License-Identifier: Apache-2.0
#include "formats/table_reading.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <memory>
#include <span>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "formats/table_schema.hpp"
#include "formats/word_labels.hpp"

namespace hogwild::detail {
namespace {

/// call(parser), or 0 before there is one.
std::size_t with_parser(const auto& parser, const auto& call) {
  return std::visit(
      [&]<class Parser>(const Parser& by) {
        if constexpr (std::same_as<Parser, std::monostate>)
          return std::size_t{0};
        else
          return call(by);
      },
      parser);
}

}  // namespace

void table_reading::begin(file_columns columns, bool learns, bool word_labels) {
  found.values.resize(schema.columns.size());
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    if (schema.hash_bits > 0 || !has_values(schema.columns[c].kind)) continue;
    // The last number stands for unknown values.
    const std::uint32_t largest = (1u << schema.value_bits) - 3;
    found.values[c] = std::make_unique<name_numbers>(
        schema.values[c], largest,
        "the column " + quote(schema.columns[c].name) + " has more than " + std::to_string(largest + 1) +
            " values, which is the most that can have columns by name; give --hash-bits, or ignore the column");
  }
  if (word_labels)
    found.labels = std::make_unique<name_numbers>(schema.labels, 0xfffffffeu, "there are too many labels");
  found.counts_rows = learns && schema.min_rows > 1;
  if (schema.text == named_text::vowpal_wabbit)
    parser.emplace<vw_parser>(schema);
  else if (schema.text == named_text::labelled_text)
    parser.emplace<labelled_text_parser>(schema, learns, found);
  else
    parser.emplace<table_parser>(schema, std::move(columns), learns, found);
}

std::size_t table_reading::capacity(std::string_view text) const {
  return with_parser(parser, [&](const auto& by) { return by.capacity(text); });
}

void table_reading::parse(std::string_view text, const block_context& context, row_block& rows) const {
  with_parser(parser, [&](const auto& by) { return by.parse(text, context, rows), std::size_t{0}; });
}

void table_reading::settle(parsed_text& text, const std::string& source) {
  std::vector<final_column> final(schema.columns.size());
  for (std::size_t c = 0; c < final.size(); ++c) {
    if (found.values[c]) final[c].values = settle_values(c);
    found.values[c].reset();
    if (c < found.sizes.size() && schema.columns[c].kind == table_kind::numeric)
      final[c].divisor = schema.columns[c].divisor = found.sizes[c].typical();
  }
  for (const table_interaction& one : interactions_of(schema, source))
    for (const std::size_t c : one.factors) final[one.column].divisor *= final[c].divisor;
  const std::vector<std::uint32_t> labels =
      found.labels ? found.labels->settle(schema.labels) : std::vector<std::uint32_t>{};
  change_rows(text, source, [&](row_block& block) {
    change_entries(block, final, source);
    if (!labels.empty()) change_labels(block, labels);
  });
  text.schema = schema_bytes(std::exchange(schema, {}));
}

std::size_t table_reading::names() const {
  std::size_t bytes = found.labels ? found.labels->bytes() : 0;
  for (const auto& values : found.values)
    if (values) bytes += values->bytes();
  return bytes;
}

std::vector<std::uint32_t> table_reading::settle_values(std::size_t column) {
  table_findings::value_counts rows;
  for (const auto& of_thread : found.rows_with) {
    if (of_thread.size() <= column) continue;
    rows.resize(std::max(rows.size(), of_thread[column].size()));
    for (std::size_t k = 0; k < of_thread[column].size(); ++k) rows[k] += of_thread[column][k];
  }
  const auto keeps = [&](std::uint32_t number) {
    return !found.counts_rows || (number < rows.size() && rows[number] >= schema.min_rows);
  };
  std::vector<std::uint32_t> numbers = found.values[column]->settle(schema.values[column], keeps);
  for (std::uint32_t& number : numbers) number = number == name_numbers::dropped ? rare_value : number + 1;
  return numbers;
}

void table_reading::change_entries(row_block& block, const std::vector<final_column>& final,
                                   const std::string& source) const {
  const std::uint32_t mask = (1u << schema.value_bits) - 1;
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> rare(final.size(), none);
  std::size_t kept = 0, k = 0;
  block.columns = 0;
  for (std::uint32_t& row_end : block.row_end) {
    const std::size_t first = kept;
    for (; k < row_end; ++k) {
      std::uint32_t index = block.index[k];
      float value = block.value[k];
      const std::size_t c = index >> schema.value_bits;
      const final_column& column = final[c];
      if (!column.values.empty()) index = (index & ~mask) + column.values[(index & mask) - 1];
      const bool is_missing = schema.columns[c].kind == table_kind::numeric && (index & mask) == missing_number;
      if (!is_missing) value = static_cast<float>(value / column.divisor);
      if (!std::isfinite(value))
        throw input_error(source + ": the numbers of the column " + quote(schema.columns[c].name) +
                          " are too far apart for single precision; scale them, or leave it out");
      if (!column.values.empty() && (index & mask) == rare_value) {
        if (rare[c] != none && rare[c] >= first) {
          block.value[rare[c]] += value;
          continue;
        }
        rare[c] = kept;
      }
      block.index[kept] = index;
      block.value[kept++] = value;
      block.columns = std::max(block.columns, index + 1);
    }
    row_end = static_cast<std::uint32_t>(kept);
  }
  block.entries = kept;
}

}  // namespace hogwild::detail
