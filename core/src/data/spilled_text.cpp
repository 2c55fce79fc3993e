// SPDX-License-Identifier: Apache-2.0
#include "data/spilled_text.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <hogwild/error.hpp>

#include "data/column_order.hpp"
#include "data/memory_budget.hpp"

namespace hogwild::detail {

spilled_text::spilled_text(std::unique_ptr<block_file> file, const spill_options& options)
    : file_(std::move(file)),
      memory_(options.memory),
      numbering_(options.numbering),
      first_number_(options.first_number),
      check_halves_(options.values == value_precision::half),
      columns_(options.memory / 4),
      degree_(options.numbering != nullptr ? options.numbering->size() : 0) {}

spilled_text::spilled_block spilled_text::write(row_block& block) {
  spilled_block written;
  if (block.row_end.empty()) return written;
  if (!block.list_end.empty()) block.list_all(block.label.size());
  if (numbering_ != nullptr) {
    written.unknown = renumber(block, *numbering_, first_number_, degree_);
    block.columns = static_cast<std::uint32_t>(numbering_->size());
  }
  const std::span<const float> values(block.value, block.row_end.back());
  if (check_halves_)
    if (const std::size_t beyond = first_beyond_half(values); beyond < values.size())
      written.beyond_half = {beyond, values[beyond]};
  written.place = file_->add(block);
  return written;
}

void spilled_text::add(const row_block& block, spilled_block written, std::size_t names, const std::string& source) {
  if (block.row_end.empty()) return;
  if (written.beyond_half && !beyond_half_) {
    const auto row = std::ranges::upper_bound(block.row_end, written.beyond_half->first) - block.row_end.begin();
    beyond_half_ = {rows_ + static_cast<std::size_t>(row) + 1, written.beyond_half->second};
  }
  written.first_row = rows_;
  rows_ += block.row_end.size();
  unknown_ += written.unknown;
  halves_ = halves_ && written.place.value_bytes == 2;
  labels_ += block.list_end.empty() ? block.label.size() : block.list.size();
  // Including a narrow copy of the entries read from the file.
  largest_block_ = std::max<std::uint64_t>(
      largest_block_, 12 * block.row_end.size() + 12 * block.list.size() + 12 * std::uint64_t{block.row_end.back()});
  for (const double label : block.label) codes_.add(label);
  blocks_.push_back(written);
  if (numbering_ == nullptr) columns_.count({block.index, block.row_end.back()});
  const std::size_t held = columns_.bytes() + names;
  if (held > memory_budget::table_of(memory_))
    throw resource_error(source + ": its columns" + (names > 0 ? " and their names" : "") +
                         " alone take more than the " + in_mebibytes(memory_) +
                         " of memory that parsing may take: " + in_mebibytes(memory_budget::for_table(held)) +
                         " is the least for those up to row " + std::to_string(rows_) +
                         (names > 0 ? "; with --hash-bits the values of a table have no names" : ""));
}

void spilled_text::change(const std::function<void(row_block& block)>& change, const std::string& source) {
  const std::vector<spilled_block> before = std::exchange(blocks_, {});
  columns_ = column_table(memory_ / 4);
  codes_ = {};
  halves_ = true;
  rows_ = 0;
  labels_ = largest_block_ = 0;
  beyond_half_.reset();
  for (const spilled_block& old : before) {
    entry_piece piece(old.place.entries);
    row_block block = file_->read(old.place, piece);
    file_->drop(old.place);
    change(block);
    const spilled_block written = write(block);
    add(block, written, 0, source);
  }
}

}  // namespace hogwild::detail
