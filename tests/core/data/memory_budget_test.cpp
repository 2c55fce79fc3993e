// SPDX-License-Identifier: Apache-2.0
#include "data/memory_budget.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace hogwild::detail {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// Rows of seventy entries, such as texts have.
text_sizes rows_of_text(std::uint64_t rows) {
  return {.rows = rows,
          .entries = 70 * rows,
          .columns = 200'000,
          .singletons = 100'000,
          .table_bytes = 1'000'000,
          .block_bytes = 2 * mebibyte,
          .shuffled = true,
          .rows_per_block = 234};
}

TEST(memory_budget, ranges_are_whole_blocks_and_cover_all_rows_within_the_memory) {
  for (const std::uint64_t rows : {1'000u, 100'000u, 10'000'000u})
    for (const std::uint64_t memory : {256 * mebibyte, 1024 * mebibyte}) {
      const text_sizes sizes = rows_of_text(rows);
      const auto budget = divide_memory(memory, sizes, 4);
      ASSERT_TRUE(budget) << rows << " " << memory;
      EXPECT_TRUE(budget->rows == rows || budget->rows % sizes.rows_per_block == 0);
      // Entries as they are read, and as they are mapped.
      EXPECT_LE(budget->rows * 70 * 16, memory);
      const std::uint64_t ranges = (rows + budget->rows - 1) / budget->rows;
      EXPECT_LE(2 * ranges * budget->threads * budget->chunk_bytes + 4 * rows, memory);
      EXPECT_GE(budget->threads, 1u);
      EXPECT_LE(budget->threads, 4u);
    }
}

TEST(memory_budget, little_memory_takes_fewer_threads_before_it_is_too_little) {
  text_sizes sizes = rows_of_text(1'000'000);
  sizes.block_bytes = 60 * mebibyte;
  EXPECT_EQ(divide_memory(1024 * mebibyte, sizes, 8)->threads, 8u);
  EXPECT_EQ(divide_memory(128 * mebibyte, sizes, 8)->threads, 2u);
}

TEST(memory_budget, the_least_memory_is_enough_and_less_is_not) {
  for (const std::uint64_t rows : {10'000'000u, 100'000'000u}) {
    const text_sizes sizes = rows_of_text(rows);
    const std::size_t least = least_memory(sizes, 2);
    EXPECT_TRUE(divide_memory(least, sizes, 2));
    EXPECT_FALSE(divide_memory(least - mebibyte, sizes, 2));
    EXPECT_GE(least, 4 * rows);  // the start of each row
  }
}

TEST(memory_budget, sizes_are_told_in_whole_mebibytes_that_suffice) {
  EXPECT_EQ(in_mebibytes(16 * mebibyte), "16 MiB");
  EXPECT_EQ(in_mebibytes(16 * mebibyte + 1), "17 MiB");
}

}  // namespace
}  // namespace hogwild::detail
