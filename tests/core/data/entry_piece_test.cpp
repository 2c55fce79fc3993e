// SPDX-License-Identifier: Apache-2.0
#include "data/entry_piece.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hogwild::detail {
namespace {

/// The pages of these bytes, which begin at a page, that are in memory.
std::size_t pages_in_memory(void* first, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> present((bytes + page - 1) / page);
  EXPECT_EQ(::mincore(first, bytes, present.data()), 0);
  return static_cast<std::size_t>(std::ranges::count_if(present, [](unsigned char c) { return c % 2 == 1; }));
}

TEST(entry_piece, is_in_memory_as_far_as_it_is_used_if_it_is_small) {
  constexpr std::size_t entries = std::size_t{1} << 18;
  const entry_piece piece(entries);
  row_block block;
  piece.lend(block);
  block.index[0] = 1, block.value[0] = 1.0f;
  EXPECT_EQ(pages_in_memory(block.index, entries * sizeof *block.index), 1u);
  EXPECT_EQ(pages_in_memory(block.value, entries * sizeof *block.value), 1u);
}

TEST(entry_piece, has_room_for_all_its_entries) {
  for (const std::size_t entries : {std::size_t{1}, std::size_t{1023}, std::size_t{1025}, entry_piece::usual}) {
    entry_piece piece(entries);
    EXPECT_EQ(piece.left(), entries);
    row_block block;
    piece.lend(block);
    for (const std::size_t k : {std::size_t{0}, entries - 1}) block.index[k] = 7, block.value[k] = 2.0f;
    EXPECT_LE(block.index + entries, reinterpret_cast<const std::uint32_t*>(block.value));
    EXPECT_EQ(block.index[entries - 1], 7u);
    EXPECT_EQ(block.value[0], 2.0f);
    piece.take(entries);
    EXPECT_EQ(piece.left(), 0u);
  }
}

}  // namespace
}  // namespace hogwild::detail
