// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/singleton_parameters.hpp>

#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/counting.hpp"
#include "support/planned_task.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t common = 40;

/// Rows with columns that others have, and with none to two of their own behind them, as text is stored when it is
/// read.
test::toy_rows rows_with_singletons(float own_value) {
  const auto planted = test::planted_classification({.rows = 700, .columns = common});
  test::toy_rows toy;
  toy.columns = common;
  for (std::size_t r = 0; r < planted.rows(); ++r) {
    toy.push_row(planted, r);
    for (std::size_t k = 0; k < r % 3; ++k) toy.push_entry(toy.columns++, own_value);
  }
  return toy;
}

TEST(singleton_parameters, are_runs_of_the_groups_in_the_order_of_columns) {
  const std::vector<parameter_group> groups{
      {.rows = 10, .hot_first = false}, {.offset = 10, .rows = 20}, {.offset = 30, .rows = 20, .width = 3}};
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  const auto note = [&](std::size_t first, std::size_t n) { seen.emplace_back(first, n); };
  for_singleton_parameters({15, 18}, 12, groups, 90, note);
  EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, std::size_t>>{{25, 3}, {75, 9}}));
  seen.clear();
  for_singleton_parameters({15, 18}, 16, groups, 80, note);  // those from 16 on, of 80 parameters
  EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, std::size_t>>{{26, 2}, {78, 2}}));
  seen.clear();
  for_singleton_parameters({15, 18}, no_singletons, groups, 90, note);
  for_singleton_parameters({}, 0, groups, 90, note);
  EXPECT_TRUE(seen.empty());
}

struct same_bits : testing::TestWithParam<std::tuple<access_kind, optimizer_kind, row_order, sharding, double>> {
  const access_kind sharing = std::get<0>(GetParam());
  const test::kept_rows data = rows_with_singletons(0.7f);

  /// The parameters after two epochs of one worker, on rows that know their singletons or do not.
  template <class Model>
  std::vector<float> trained(const Model& m, label_kind kind, bool known, std::size_t first_row) const {
    sparse_view rows = data.view().slice(first_row, data.view().rows());
    if (known) rows.first_singleton = common;
    const std::vector<std::uint32_t> degree = count_columns(rows);
    rows.degree = degree;
    test::planned_task work =
        make_task(m, rows, label_map::learn(kind, rows.label, "data"),
                  {.optimizer = std::get<1>(GetParam()),
                   .order = std::get<2>(GetParam()),
                   .shards = std::get<3>(GetParam()),
                   .isa = choose_isa(isa::automatic),
                   .l2 = std::get<1>(GetParam()) == optimizer_kind::sgd ? std::get<4>(GetParam()) : 0.0});
    work.set_sharing(sharing, {.head = 300, .rows = 32, .curvature = 1e-3, .workers = 4});
    const auto started =
        start(thread_engine{.workers = 1, .team = thread_team_kind::std, .pin = false}, *work, work.plan, {});
    round_driver rounds(*work, work.plan, *started);
    for (std::size_t e = 1; e <= 2; ++e) rounds.train_epoch(e, 0.3);
    return work->parameters_of(started->store(), rounds.scale());
  }
};

TEST_P(same_bits, of_a_margin_model_whether_singletons_are_known_or_not) {
  for (const std::size_t first_row : {0u, 123u}) {
    const auto known = trained(logistic{}, label_kind::binary, true, first_row);
    EXPECT_EQ(known, trained(logistic{}, label_kind::binary, false, first_row));
    EXPECT_NE(known.back(), 0.0f);
  }
}

TEST_P(same_bits, of_a_general_model_whether_singletons_are_known_or_not) {
  if (sharing == access_kind::head) GTEST_SKIP() << "a head is for margin models";
  const softmax model{.features = data.columns, .classes = 2};
  const auto known = trained(model, label_kind::classes, true, 0);
  EXPECT_EQ(known, trained(model, label_kind::classes, false, 0));
  EXPECT_NE(known.back(), 0.0f);
}

INSTANTIATE_TEST_SUITE_P(every, same_bits,
                         testing::Combine(testing::Values(access_kind::buffered, access_kind::head,
                                                          access_kind::deterministic),
                                          testing::Values(optimizer_kind::sgd, optimizer_kind::adagrad),
                                          testing::Values(row_order::chunked, row_order::permuted),
                                          testing::Values(sharding::claimed, sharding::fixed),
                                          testing::Values(0.0, 0.1)));  // the second takes several gates an epoch

TEST(singleton_parameters, count_in_full_where_workers_take_the_mean_of_their_gains) {
  test::toy_rows toy = rows_with_singletons(1.0f);
  std::ranges::fill(toy.value, 1.0f);
  const csr_rows data = toy.csr();
  sparse_view rows = data.view();
  rows.first_singleton = common;
  for (const access_kind sharing : {access_kind::buffered, access_kind::deterministic}) {
    test::planned_task work =
        make_task(test::counting_margins{}, rows, label_map{}, {.isa = choose_isa(isa::automatic)});
    work.set_sharing(sharing, {.rows = 8, .gain_weight = 0.5, .workers = 4});
    const auto started =
        start(thread_engine{.workers = 1, .team = thread_team_kind::std, .pin = false}, *work, work.plan, {});
    round_driver rounds(*work, work.plan, *started);
    rounds.train_epoch(1, 1.0);
    const auto got = started->store().parameters<float>();
    const auto all = test::counts_after(toy, 1);
    EXPECT_TRUE(std::ranges::equal(got.subspan(common), std::span(all).subspan(common)));
    EXPECT_EQ(got[0], all[0] / 2);
  }
}

struct counted : testing::TestWithParam<std::tuple<access_kind, sharding, std::size_t>> {};

TEST_P(counted, no_add_is_lost_or_made_twice_whoever_trains_the_rows) {
  constexpr std::size_t epochs = 5;
  test::toy_rows toy = rows_with_singletons(1.0f);
  std::ranges::fill(toy.value, 1.0f);
  const csr_rows data = toy.csr();
  sparse_view rows = data.view();
  rows.first_singleton = common;
  const auto expect_counts = [&](const auto& model) {
    const auto [sharing, shards, workers] = GetParam();
    test::planned_task work = make_task(
        model, rows, label_map{}, {.update = update_kind::exact, .shards = shards, .isa = choose_isa(isa::automatic)});
    work.set_sharing(sharing, {.head = common + 100, .rows = 8, .workers = workers});
    const auto started =
        start(thread_engine{.workers = workers, .team = thread_team_kind::std, .pin = false}, *work, work.plan, {});
    round_driver rounds(*work, work.plan, *started);
    for (std::size_t e = 1; e <= epochs; ++e) rounds.train_epoch(e, 1.0);
    const auto got = started->store().template parameters<float>();
    EXPECT_EQ(std::vector<float>(got.begin(), got.end()), test::counts_after(toy, epochs));
  };
  expect_counts(test::counting_margins{});
  if (std::get<0>(GetParam()) != access_kind::head) expect_counts(test::counting_columns{toy.columns});
}

INSTANTIATE_TEST_SUITE_P(
    every, counted,
    testing::Combine(testing::Values(access_kind::buffered, access_kind::head, access_kind::deterministic),
                     testing::Values(sharding::claimed, sharding::fixed), testing::Values(1u, 2u, 4u)));

}  // namespace
