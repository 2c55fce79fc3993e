// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/chunk.hpp>

#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace hogwild;

namespace {

RC_GTEST_PROP(chunk_plan, covers_every_row_exactly_once, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(0, 10'000);
  const auto size = *rc::gen::inRange<std::size_t>(0, 300);  // 0 is taken as 1
  const chunk_plan plan(rows, size);
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan.count(); ++i) {
    const chunk c = plan[i];
    RC_ASSERT(c.index == i);
    RC_ASSERT(c.first == next);
    RC_ASSERT(c.rows() > 0u);
    RC_ASSERT((c.rows() == plan.rows_per_chunk()) == (i < plan.full()));
    next = c.last;
  }
  RC_ASSERT(next == rows);
  RC_ASSERT(plan.count() - plan.full() <= 1u);
}

RC_GTEST_PROP(chunk_plan, chooses_chunks_in_the_promised_range, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(0, 1'000'000);
  const auto per_row = *rc::gen::inRange<std::size_t>(0, 5'000);
  const chunk_plan plan = chunk_plan::choose(rows, rows * per_row);
  RC_ASSERT(plan.rows() == rows);
  RC_ASSERT(plan.rows_per_chunk() >= 1u);
  RC_ASSERT(plan.rows_per_chunk() <= 256u);
  if (rows >= 64) RC_ASSERT(plan.count() >= 64u);
  if (rows >= 64 * 16) RC_ASSERT(plan.rows_per_chunk() >= 16u);
}

TEST(chunk_plan, aims_at_16384_nonzeros) {
  EXPECT_EQ(chunk_plan::choose(200'000, 200'000 * 128).rows_per_chunk(), 128u);
  EXPECT_EQ(chunk_plan::choose(200'000, 200'000 * 10).rows_per_chunk(), 256u);    // short rows: at most 256
  EXPECT_EQ(chunk_plan::choose(200'000, 200'000 * 5'000).rows_per_chunk(), 16u);  // long rows: at least 16
  EXPECT_EQ(chunk_plan::choose(640, 640).rows_per_chunk(), 10u);                  // small data: 64 chunks
}

TEST(chunk_plan, has_no_chunk_without_rows) {
  EXPECT_EQ(chunk_plan(0, 16).count(), 0u);
  EXPECT_EQ(chunk_plan::choose(0, 0).count(), 0u);
  EXPECT_EQ(chunk_plan::choose(5, 0).count(), 5u);
}

TEST(chunk_plan, of_given_starts_has_chunks_of_any_size) {
  const std::vector<std::uint32_t> starts{0, 3, 3, 10};
  const chunk_plan plan{std::span<const std::uint32_t>(starts)};
  EXPECT_EQ(plan.rows(), 10u);
  EXPECT_EQ(plan.count(), 3u);
  EXPECT_EQ(plan.full(), 3u);
  EXPECT_EQ(plan.rows_per_chunk(), 3u);
  EXPECT_EQ(plan[0].rows(), 3u);
  EXPECT_EQ(plan[1].rows(), 0u);
  EXPECT_EQ(plan[2].first, 3u);
  EXPECT_EQ(plan[2].last, 10u);
}

}  // namespace
