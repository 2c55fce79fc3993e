// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/telemetry.hpp>

#include <array>
#include <memory>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_view.hpp>

using namespace hogwild;

namespace {

using reader = param_reader<float>;

struct recording : testing::Test {
  std::array<float, 32> values{};
  reader plain{values.data(), values.size()};
  std::uint64_t samples = 0, conflicts = 0;

  recording() {
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = static_cast<float>(j);
  }
  void note(const recording_reader<reader>& r, std::size_t j, float before) {
    r.note_add(j, before, samples, conflicts);
  }
};

TEST_F(recording, passes_reads_through) {
  const recording_reader<reader> r(plain, 0);
  EXPECT_EQ(r.size(), 32u);
  EXPECT_EQ(r[5], 5.0f);
  const auto block = r.block(8, 3);
  EXPECT_EQ(block.size(), 3u);
  EXPECT_EQ(block[2], 10.0f);
}

TEST_F(recording, counts_an_add_to_what_was_read_as_conflict_only_when_the_value_has_changed) {
  const recording_reader<reader> r(plain, 0);
  (void)r[5];
  (void)r[6];
  (void)r.block(10, 4);
  note(r, 5, 5.0f);
  EXPECT_EQ(samples, 1u);
  EXPECT_EQ(conflicts, 0u);
  note(r, 6, 7.5f);
  note(r, 10, 0.0f);  // the first of a block stands for it
  EXPECT_EQ(samples, 3u);
  EXPECT_EQ(conflicts, 2u);
  note(r, 20, 1.0f);  // never read
  note(r, 11, 1.0f);  // within the block
  EXPECT_EQ(samples, 3u);
}

TEST_F(recording, takes_the_first_eight_reads_after_the_skipped_ones) {
  const recording_reader<reader> r(plain, 3);
  for (std::size_t j = 0; j < 20; ++j) (void)r[j];
  for (std::size_t j = 0; j < 20; ++j) note(r, j, -1.0f);
  EXPECT_EQ(samples, 8u);
  EXPECT_EQ(conflicts, 8u);
  samples = 0;
  for (std::size_t j = 3; j < 11; ++j) note(r, j, -1.0f);
  EXPECT_EQ(samples, 8u);
}

struct probing : testing::Test {
  std::unique_ptr<worker_slot[]> memory = std::make_unique<worker_slot[]>(3);  // zeroed
  std::span<worker_slot> slots{memory.get(), 3};
  std::array<float, 4> values{1, 2, 3, 4};
  reader plain{values.data(), values.size()};

  std::uint64_t filed(std::size_t slot) const {
    std::uint64_t n = 0;
    for (const auto& bucket : slots[slot].staleness) n += bucket.get();
    return n;
  }
};

TEST_F(probing, watches_one_row_in_a_period_and_none_when_off) {
  const race_probe on(slots, 0, true), off(slots, 0, false);
  std::size_t due = 0;
  for (std::uint64_t row = 0; row < 10 * race_probe::period; ++row) {
    due += on.due(row);
    EXPECT_FALSE(off.due(row));
  }
  EXPECT_EQ(due, 10u);
}

TEST_F(probing, files_the_rows_of_others_between_read_and_write) {
  race_probe probe(slots, 1, true);
  slots[0].rows.set(100);
  slots[2].rows.set(7);
  const bool changed = probe.watch(plain, 2, [&](const auto& r, const auto& note) {
    const float before = r[2];
    slots[0].rows.raise(2);
    slots[2].rows.raise(1);
    slots[1].rows.raise(50);  // its own rows are not stale
    note(2, before + 1.0f);
    return true;
  });
  EXPECT_TRUE(changed);
  EXPECT_EQ(filed(1), 1u);
  EXPECT_EQ(slots[1].staleness[staleness_histogram::bucket(3)].get(), 1u);
  EXPECT_EQ(slots[1].conflict_samples.get(), 1u);
  EXPECT_EQ(slots[1].conflicts.get(), 1u);
  EXPECT_EQ(filed(0) + filed(2), 0u);
}

TEST_F(probing, watches_the_first_exchange_then_one_in_eight_and_none_when_off) {
  race_probe on(slots, 0, true), off(slots, 0, false);
  for (int exchange = 1; exchange <= 80; ++exchange) {
    EXPECT_EQ(on.due_at_exchange(), exchange % 8 == 1) << exchange;
    EXPECT_FALSE(off.due_at_exchange());
  }
}

TEST_F(probing, files_the_rows_of_others_since_the_round_began_at_its_first_exchange) {
  slots[0].rows.set(1000);  // of earlier rounds
  race_probe probe(slots, 1, true);
  slots[0].rows.raise(4);
  slots[1].rows.raise(50);
  ASSERT_TRUE(probe.due_at_exchange());
  probe.file_exchange([](auto&&) {});
  EXPECT_EQ(slots[1].staleness[staleness_histogram::bucket(4)].get(), 1u);
}

TEST_F(probing, files_the_rows_of_others_since_the_exchange_before_and_what_they_changed) {
  race_probe probe(slots, 1, true);
  slots[0].rows.set(1000);  // before: not stale
  EXPECT_TRUE(probe.due_at_exchange());
  for (int exchange = 2; exchange <= 8; ++exchange) EXPECT_FALSE(probe.due_at_exchange());
  slots[0].rows.raise(4);
  slots[2].rows.raise(1);
  slots[1].rows.raise(50);  // its own rows are not stale
  ASSERT_TRUE(probe.due_at_exchange());
  probe.file_exchange([](auto&& sample) {
    for (const bool changed : {true, false, true}) sample(changed);
  });
  EXPECT_EQ(filed(1), 1u);
  EXPECT_EQ(slots[1].staleness[staleness_histogram::bucket(5)].get(), 1u);
  EXPECT_EQ(slots[1].conflict_samples.get(), 3u);
  EXPECT_EQ(slots[1].conflicts.get(), 2u);
  EXPECT_EQ(filed(0) + filed(2), 0u);
}

TEST_F(probing, files_nothing_for_a_row_that_changes_nothing) {
  race_probe probe(slots, 1, true);
  EXPECT_FALSE(probe.watch(plain, 2, [](const auto&, const auto&) { return false; }));
  EXPECT_EQ(filed(1), 0u);
}

}  // namespace
