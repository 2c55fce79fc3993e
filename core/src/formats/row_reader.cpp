// SPDX-License-Identifier: Apache-2.0
#include "formats/row_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <hogwild/error.hpp>

#include "text/decimal.hpp"

namespace hogwild::detail {

row_reader::row_reader(const std::string& source, capacity_function capacity, parse_function parse)
    : source_(source), capacity_(std::move(capacity)), parse_(std::move(parse)) {}

void row_reader::append(std::string_view text) {
  if (text.empty()) return;
  piece_.assign(text);
  if (piece_.back() != '\n') piece_ += '\n';
  const std::size_t length = piece_.size();
  piece_.append(text_padding, '\0');
  const std::string_view piece = std::string_view(piece_).substr(0, length);
  const std::size_t before = rows_.index.size();
  rows_.index.resize(before + capacity_(piece) + entries_margin);
  rows_.value.resize(rows_.index.size());
  row_block block;
  block.index = rows_.index.data() + before;
  block.value = rows_.value.data() + before;
  parse_(piece, block);
  if (block.fault) throw format_error(source_, lines_ + block.fault->line, block.fault->column, block.fault->message);
  rows_.index.resize(before + block.entries);
  rows_.value.resize(before + block.entries);
  for (const std::uint32_t end : block.row_end) rows_.row_start.push_back(before + end);
  stated_.append(block.stated, all_.label.size(), block.label.size());
  append_labels(block);
  rows_.columns = std::max<std::size_t>(rows_.columns, block.columns);
  lines_ += block.lines;
}

libsvm_rows row_reader::finish() && {
  forms_.require_one(source_, rows_.index.size());
  if (forms_.has_lists()) {
    all_.list_all(all_.label.size());
    all_.list_end.insert(all_.list_end.begin(), 0);
    rows_.lists = label_lists(all_.list_end, all_.list);
  }
  rows_.label = std::move(all_.label);
  rows_.weight = std::move(stated_.weight);
  rows_.offset = std::move(stated_.offset);
  return std::move(rows_);
}

void row_reader::append_labels(const row_block& block) {
  forms_.add(block, lines_);
  if (!block.list_end.empty()) {
    all_.list_all(all_.label.size());
    const auto before = static_cast<std::uint32_t>(all_.list.size());
    for (const std::uint32_t end : block.list_end) all_.list_end.push_back(before + end);
    all_.list.insert(all_.list.end(), block.list.begin(), block.list.end());
  }
  all_.label.insert(all_.label.end(), block.label.begin(), block.label.end());
}

}  // namespace hogwild::detail
