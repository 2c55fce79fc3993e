// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/shard.hpp>

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace hogwild;

namespace {

shard part_number(std::size_t chunks, std::size_t id, std::size_t count) {
  return shard::part(chunks, shard_id(static_cast<std::uint32_t>(id)), count);
}

RC_GTEST_PROP(shard, parts_are_an_exact_disjoint_cover_of_about_equal_sizes, ()) {
  const auto chunks = *rc::gen::inRange<std::size_t>(0, 3'000);
  const auto count = *rc::gen::inRange<std::size_t>(1, 200);
  std::size_t next = 0;
  for (std::size_t id = 0; id < count; ++id) {
    const shard s = part_number(chunks, id, count);
    RC_ASSERT(s.first == next);
    RC_ASSERT(s.size() == chunks / count || s.size() == chunks / count + 1);
    next = s.last;
  }
  RC_ASSERT(next == chunks);
}

RC_GTEST_PROP(chunk_order, gives_every_chunk_of_a_shard_one_ticket_and_the_short_chunk_the_last, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 2'000);
  const auto size = *rc::gen::inRange<std::size_t>(1, 50);
  const auto count = *rc::gen::inRange<std::size_t>(1, 20);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const chunk_plan plan(rows, size);
  std::vector<int> tickets_of(plan.count());
  for (std::size_t id = 0; id < count; ++id) {
    const shard s = part_number(plan.count(), id, count);
    const chunk_order order(plan, s, seed, 3);
    for (std::size_t ticket = s.first; ticket < s.last; ++ticket) {
      const std::size_t c = order(ticket);
      RC_ASSERT(c >= s.first);
      RC_ASSERT(c < s.last);
      ++tickets_of[c];
      if (ticket + 1 < s.last) RC_ASSERT(plan[c].rows() == plan.rows_per_chunk());
    }
  }
  for (const int n : tickets_of) RC_ASSERT(n == 1);
}

std::vector<std::size_t> order_of(const chunk_plan& plan, shard range, std::uint64_t seed, std::uint64_t pass) {
  const chunk_order order(plan, range, seed, pass);
  std::vector<std::size_t> out;
  for (std::size_t t = range.first; t < range.last; ++t) out.push_back(order(t));
  return out;
}

TEST(chunk_order, is_fresh_each_pass_and_for_each_seed) {
  // Equal by chance with probability 1 / 99! each.
  const chunk_plan plan(995, 10);
  const auto base = order_of(plan, {0, 100}, 1, 1);
  EXPECT_EQ(base, order_of(plan, {0, 100}, 1, 1));
  EXPECT_NE(base, order_of(plan, {0, 100}, 1, 2));
  EXPECT_NE(base, order_of(plan, {0, 100}, 2, 1));
  EXPECT_EQ(base.back(), 99u);
}

TEST(chunk_order, differs_between_shards) {
  const chunk_plan plan(1'000, 10);
  auto second = order_of(plan, {50, 100}, 1, 1);
  for (auto& c : second) c -= 50;
  EXPECT_NE(order_of(plan, {0, 50}, 1, 1), second);
}

}  // namespace
