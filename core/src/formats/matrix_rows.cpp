// SPDX-License-Identifier: Apache-2.0
#include "formats/matrix_rows.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/memory_grant.hpp>
#include <hogwild/error.hpp>

#include "data/entry_piece.hpp"

namespace hogwild::detail {
namespace {

/// Bytes of memory that a row without entries takes until it is in a dataset, at most.
constexpr std::uint64_t bytes_of_row = 64;

/// Calls visit(row, column, value, entry) for all entries that become entries of rows, in the order of the text.
void for_entries(const matrix_text& text, const auto& visit) {
  std::uint64_t entry = 0;
  for (const matrix_part& part : text.parts)
    for (std::size_t k = 0; k < part.entries; ++k, ++entry) {
      const float value = part.value.empty() ? 1.0f : part.value[k];
      if (!text.header.dense)
        visit(part.row[k], part.column[k], value, entry);
      else if (value != 0.0f)
        visit(static_cast<std::uint32_t>(entry % text.header.rows),
              static_cast<std::uint32_t>(entry / text.header.rows), value, entry);
    }
}

/// Sorts the entries of a row. Returns whether all columns differ.
bool sort_row(std::span<std::uint32_t> index, std::span<float> value) {
  if (std::ranges::adjacent_find(index, std::greater_equal{}) == index.end()) return true;
  std::vector<std::pair<std::uint32_t, float>> entries(index.size());
  for (std::size_t k = 0; k < index.size(); ++k) entries[k] = {index[k], value[k]};
  std::ranges::sort(entries, {}, &std::pair<std::uint32_t, float>::first);
  for (std::size_t k = 0; k < index.size(); ++k) std::tie(index[k], value[k]) = entries[k];
  return std::ranges::adjacent_find(index) == index.end();
}

[[noreturn]] void refuse_second(const matrix_text& text, const std::string& source) {
  std::unordered_set<std::uint64_t> met;
  for_entries(text, [&](std::uint32_t row, std::uint32_t column, float, std::uint64_t entry) {
    if (met.insert(std::uint64_t{row} << 32 | column).second) return;
    throw format_error(source, text.line_of(entry), 1,
                       "the entry of row " + std::to_string(row + 1) + " and column " + std::to_string(column + 1) +
                           " stands here for the second time");
  });
  throw input_error(source + ": an entry stands there twice");
}

}  // namespace

std::unique_ptr<parsed_text> rows_of(matrix_text text, const matrix_labels& labels, const std::string& source) {
  const std::uint64_t rows = text.header.rows, usable = usable_memory();
  if (usable > 0 && rows > usable / bytes_of_row)
    throw resource_error(source + ": it announces " + std::to_string(rows) +
                         " rows, which take more memory than there is");
  std::vector<std::uint64_t> start(rows + 1);
  for_entries(text, [&](std::uint32_t row, std::uint32_t, float, std::uint64_t) { ++start[row + 1]; });
  for (std::size_t r = 0; r < rows; ++r) start[r + 1] += start[r];
  const std::uint64_t entries = start.back();

  entry_piece piece(entries + entries_margin);
  row_block all;
  piece.lend(all);
  std::vector<std::uint64_t> next(start.begin(), start.end() - 1);
  for_entries(text, [&](std::uint32_t row, std::uint32_t column, float value, std::uint64_t) {
    all.index[next[row]] = column;
    all.value[next[row]++] = value;
  });
  std::atomic<bool> twice{false};
  tbb::parallel_for(std::size_t{0}, static_cast<std::size_t>(rows), [&](std::size_t r) {
    const std::size_t length = start[r + 1] - start[r];
    if (!sort_row({all.index + start[r], length}, {all.value + start[r], length})) twice = true;
  });
  if (twice) refuse_second(text, source);

  auto parsed = std::make_unique<parsed_text>();
  parsed->spelling = labels.spelling;
  for (std::size_t first = 0; first < rows;) {
    row_block& block = parsed->blocks.emplace_back();
    piece.lend(block);
    const std::size_t begin = start[first];
    for (; first < rows && block.label.size() < rows_of_block && block.entries < entries_of_block; ++first) {
      block.entries = start[first + 1] - begin;
      block.row_end.push_back(static_cast<std::uint32_t>(block.entries));
      block.label.push_back(labels.label.empty() ? 0.0 : labels.label[first]);
      if (start[first + 1] > start[first]) block.columns = std::max(block.columns, all.index[start[first + 1] - 1] + 1);
    }
    piece.take(block.entries);
    parsed->columns = std::max<std::size_t>(parsed->columns, block.columns);
  }
  parsed->rows = rows;
  parsed->nonzeros = entries;
  return parsed;
}

}  // namespace hogwild::detail
