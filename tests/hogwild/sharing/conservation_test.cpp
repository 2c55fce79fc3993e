// SPDX-License-Identifier: Apache-2.0
// Under every sharing no add is lost by exact updates or atomic examples, and none is invented by lossy ones.
#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include <hogwild/detail/run/rounds.hpp>

#include "support/counting.hpp"
#include "support/planned_task.hpp"

using namespace hogwild;

namespace {

struct conservation : testing::TestWithParam<std::tuple<update_kind, access_kind, std::size_t>> {
  const update_kind update = std::get<0>(GetParam());
  const access_kind sharing = std::get<1>(GetParam());
  const std::size_t workers = std::get<2>(GetParam());

  template <class Model>
  void expect_all_counted(const Model& m, std::size_t columns, std::uint64_t rows_between_exchanges) const {
    constexpr std::size_t epochs = 4;  // counts are below 2^24: exact in float
    const test::kept_rows data = test::countable_rows(3'000, columns);
    const auto work = test::counting_task(m, data.view(), update, sharing, workers, rows_between_exchanges);
    const std::unique_ptr<engine_run> threads =
        start(thread_engine{.workers = workers, .team = thread_team_kind::std, .pin = false}, *work, work.plan, {});
    round_driver rounds(*work, work.plan, *threads);
    for (std::size_t e = 1; e <= epochs; ++e) rounds.train_epoch(e, 1.0);
    const auto counted = threads->store().parameters<float>();
    const auto expected = test::counts_after(data, epochs);
    for (std::size_t j = 0; j < columns; ++j) {
      if (update != update_kind::lossy) {
        ASSERT_EQ(counted[j], expected[j]) << j;
      } else {
        // A stored value is one that was read plus whole gains, none of them twice.
        ASSERT_EQ(counted[j], std::floor(counted[j])) << j;
        ASSERT_LE(counted[j], expected[j]) << j;
      }
    }
    std::uint64_t trained = 0, unsent = 0;
    for (const worker_slot& slot : threads->store().slots()) trained += slot.rows.get(), unsent += slot.unsent.get();
    EXPECT_EQ(trained, epochs * data.rows());
    EXPECT_EQ(unsent, 0u);
  }
};

TEST_P(conservation, of_a_margin_models_adds) {
  expect_all_counted(test::counting_margins{}, 1'500, 8);
}
TEST_P(conservation, of_a_small_margin_models_adds) {
  expect_all_counted(test::counting_margins{}, 60, 1);
}
TEST_P(conservation, of_a_general_models_adds) {
  expect_all_counted(test::counting_columns{1'500}, 1'500, 4);
}
TEST_P(conservation, of_adds_that_travel_at_the_end_of_the_round_only) {
  expect_all_counted(test::counting_margins{}, 1'500, 1'000'000);
}

INSTANTIATE_TEST_SUITE_P(every, conservation,
                         testing::Combine(testing::Values(update_kind::lossy, update_kind::exact),
                                          testing::Values(access_kind::direct, access_kind::buffered,
                                                          access_kind::head),
                                          testing::Values(2u, 4u, 8u)));
INSTANTIATE_TEST_SUITE_P(of_atomic_examples, conservation,
                         testing::Combine(testing::Values(update_kind::edge_locked, update_kind::ordered),
                                          testing::Values(access_kind::direct), testing::Values(2u, 4u, 8u)));

}  // namespace
