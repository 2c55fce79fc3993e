// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "data/row_block.hpp"

namespace hogwild::detail {

/// Memory for entries, which never moves. Each block that has a part of it keeps all of it alive.
class entry_piece {
 public:
  static constexpr std::size_t usual = std::size_t{4} << 20;  ///< entries: 32 MiB, touched only as far as used

  entry_piece() = default;
  /// Room for so many entries. Throws std::bad_alloc.
  explicit entry_piece(std::size_t entries);

  std::size_t left() const { return left_; }
  /// Lends the rest to this block for its next entries, at most left(). Tell take() their number afterwards.
  void lend(row_block& block) const {
    block.index = index_;
    block.value = value_;
    block.owner = memory_;
  }
  void take(std::size_t entries) { index_ += entries, value_ += entries, left_ -= entries; }

 private:
  std::shared_ptr<void> memory_;
  std::uint32_t* index_ = nullptr;
  float* value_ = nullptr;
  std::size_t left_ = 0;
};

/// The size of a block, small enough that threads share many of them evenly; a single row may have more entries.
inline constexpr std::size_t entries_of_block = std::size_t{1} << 18, rows_of_block = std::size_t{1} << 16;

/// Makes these arrays of another owner the block's entries.
void borrow_entries(std::span<const std::uint32_t> index, std::span<const float> value, row_block& block);
/// Copies borrowed entries to memory of the block's own. Throws std::bad_alloc.
void own_entries(row_block& block);

}  // namespace hogwild::detail
