// SPDX-License-Identifier: Apache-2.0
#include "data/row_ranges.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild::detail {

/// Rows that one thread holds before they are written to their ranges.
class row_ranges::sorter {
 public:
  sorter(row_ranges& to, std::mutex& mutex, std::size_t chunk_bytes)
      : to_(to), mutex_(mutex), chunk_bytes_(chunk_bytes), chunks_(to.ranges_.size()) {}

  void add(const row_block& block, std::size_t row, std::uint64_t target) {
    const std::uint32_t begin = row == 0 ? 0 : block.row_end[row - 1], size = block.row_end[row] - begin;
    const std::size_t range = target / to_.rows_per_range_;
    chunk& held = chunks_[range];
    if (!held.rows.row_end.empty() && held.bytes() + 8 * std::size_t{size} > chunk_bytes_) flush(range);
    held.index.insert(held.index.end(), block.index + begin, block.index + begin + size);
    held.value.insert(held.value.end(), block.value + begin, block.value + begin + size);
    held.rows.row_end.push_back(static_cast<std::uint32_t>(held.index.size()));
    held.rows.label.push_back(block.label[row]);
    held.number.push_back(static_cast<std::uint32_t>(target % to_.rows_per_range_));
    if (block.list_end.empty()) return;
    held.rows.list.insert(held.rows.list.end(), block.list.begin() + (row == 0 ? 0 : block.list_end[row - 1]),
                          block.list.begin() + block.list_end[row]);
    held.rows.list_end.push_back(static_cast<std::uint32_t>(held.rows.list.size()));
  }

  void flush() {
    for (std::size_t range = 0; range < chunks_.size(); ++range)
      if (!chunks_[range].rows.row_end.empty()) flush(range);
  }

 private:
  struct chunk {
    std::vector<std::uint32_t> index, number;
    std::vector<float> value;
    row_block rows;  ///< without entries

    std::size_t bytes() const { return 8 * index.size() + 20 * number.size() + 8 * rows.list.size(); }
  };

  void flush(std::size_t range) {
    chunk& held = chunks_[range];
    row_block& block = held.rows;
    block.index = held.index.data(), block.value = held.value.data();
    block.columns = held.index.empty() ? 0 : std::ranges::max(held.index) + 1;
    const block_file::place written = to_.file_->add(block, held.number);
    {
      const std::scoped_lock lock(mutex_);
      range_blocks& target = to_.ranges_[range];
      target.blocks.push_back(written);
      target.rows += written.rows;
      target.entries += written.entries;
    }
    held.index.clear(), held.value.clear(), held.number.clear();
    block.row_end.clear(), block.label.clear(), block.list.clear(), block.list_end.clear();
  }

  row_ranges& to_;
  std::mutex& mutex_;
  std::size_t chunk_bytes_;
  std::vector<chunk> chunks_;
};

row_ranges::row_ranges(const spilled_text& text, const std::vector<std::uint32_t>& target, const column_table* position,
                       const range_budget& budget, std::uint64_t rows, bool lists)
    : rows_per_range_(budget.rows), ranges_((rows + budget.rows - 1) / budget.rows) {
  std::string refused;
  file_ = block_file::in(std::array{text.file().folder()}, refused);
  if (file_ == nullptr)
    throw resource_error("the rows do not fit into memory, and there is no file for them: " + refused);
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  tbb::parallel_for(std::size_t{0}, budget.threads, [&](std::size_t) {
    sorter sorted(*this, mutex, budget.chunk_bytes);
    entry_piece piece;
    for (std::size_t b; (b = next.fetch_add(1)) < text.blocks().size();) {
      const spilled_text::spilled_block& from = text.blocks()[b];
      if (b + budget.threads < text.blocks().size()) text.file().announce(text.blocks()[b + budget.threads].place);
      entry_piece room = piece;
      if (room.left() < from.place.entries) room = piece = entry_piece(from.place.entries);
      row_block block = text.file().read(from.place, room);
      text.file().drop(from.place);
      if (lists) block.list_all(block.label.size());
      if (position != nullptr)
        for (std::uint32_t& index : std::span(block.index, block.entries)) index = (*position)[index];
      for (std::size_t r = 0; r < block.label.size(); ++r)
        sorted.add(block, r, target.empty() ? from.first_row + r : target[from.first_row + r]);
    }
    sorted.flush();
  });
}

row_range row_ranges::read(std::size_t range) const {
  const range_blocks& from = ranges_[range];
  row_range rows{.first_row = range * rows_per_range_};
  rows.text.rows = from.rows;
  rows.text.nonzeros = from.entries;
  rows.text.blocks.resize(from.blocks.size());
  rows.order.resize(from.rows);
  std::vector<entry_piece> pieces;
  entry_piece whole(from.entries);
  for (const block_file::place& block : from.blocks) {
    pieces.push_back(whole);
    whole.take(block.entries);
  }
  tbb::parallel_for(std::size_t{0}, from.blocks.size(), [&](std::size_t b) {
    std::vector<std::uint32_t> number;
    rows.text.blocks[b] = file_->read(from.blocks[b], pieces[b], &number);
    for (std::size_t r = 0; r < number.size(); ++r)
      rows.order[number[r]] = {static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(r)};
  });
  if (range + 1 < ranges_.size())
    for (const block_file::place& block : ranges_[range + 1].blocks) file_->announce(block);
  return rows;
}

}  // namespace hogwild::detail
