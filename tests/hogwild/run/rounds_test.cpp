// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/rounds.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/train.hpp>

#include "support/counting.hpp"
#include "support/planned_task.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

test::toy_rows one_column_a_row(std::size_t rows) {
  test::toy_rows data;
  data.columns = rows;
  for (std::uint32_t r = 0; r < rows; ++r) data.push({r}, {1.0f}, 0.0f);
  return data;
}

struct counting : testing::TestWithParam<std::tuple<std::size_t, sharding, std::size_t>> {
  const std::size_t rows = std::get<0>(GetParam());
  const std::size_t workers = std::get<2>(GetParam());
  test::kept_rows data = one_column_a_row(rows);
  test::planned_task work = make_task(test::counting_columns{rows}, data.view(), label_map{},
                                      {.update = update_kind::exact, .shards = std::get<1>(GetParam())});
};

TEST_P(counting, an_epoch_trains_each_row_exactly_once) {
  const auto started =
      start(thread_engine{.workers = workers, .team = thread_team_kind::std, .pin = false}, *work, work.plan, {});
  round_driver rounds(*work, work.plan, *started);
  for (std::size_t e = 1; e <= 3; ++e) {
    rounds.train_epoch(e, 1.0);
    for (const float n : started->store().parameters<float>()) ASSERT_EQ(n, static_cast<float>(e));
  }
  std::uint64_t trained = 0;
  for (const worker_slot& slot : started->store().slots()) trained += slot.rows.get();
  EXPECT_EQ(trained, 3 * rows);
  EXPECT_EQ(rounds.scale(), 1.0);
}

INSTANTIATE_TEST_SUITE_P(every, counting,
                         testing::Combine(testing::Values(1u, 7u, 64u, 1000u, 1027u),
                                          testing::Values(sharding::claimed, sharding::fixed),
                                          testing::Values(1u, 2u, 3u, 8u)));

/// Two workers, one after the other in this thread; before each round something may happen to its tickets.
class accident_run final : public engine_run {
 public:
  using accident = std::function<void(const param_store&, int round)>;
  accident_run(const test::planned_task& work, accident before, accident after)
      : work_(work),
        before_(std::move(before)),
        after_(std::move(after)),
        store_(param_store::in_memory(work.shape(2))) {
    for (worker_slot& slot : store_.slots()) slot.state = worker_state::active;
  }

  std::string_view engine() const override { return "accident"; }
  std::size_t workers() const override { return 2; }
  const param_store& store() const override { return store_; }
  thread_team& helpers() override { return *helpers_; }
  void run_round() override {
    ++rounds;
    if (before_) before_(store_, rounds);
    work_->work({work_.plan, store_, 0, memory_[0], nullptr});
    work_->work({work_.plan, store_, 1, memory_[1], nullptr});
    if (after_) after_(store_, rounds);
  }
  int rounds = 0;

 private:
  const test::planned_task& work_;
  accident before_, after_;
  param_store store_;
  worker_memory memory_[2];
  std::unique_ptr<thread_team> helpers_ = thread_team::make(thread_team_kind::std, 1, false);
};

struct accidents : testing::TestWithParam<sharding> {
  test::kept_rows data = one_column_a_row(1027);
  test::planned_task work = make_task(test::counting_columns{1027}, data.view(), label_map{}, {.shards = GetParam()});
};

TEST_P(accidents, tickets_that_were_drawn_and_never_trained_are_drawn_again) {
  // In the first two rounds somebody draws three tickets and dies at once.
  accident_run started(work,
                       [&](const param_store& store, int round) {
                         if (round > 2) return;
                         for (int i = 0; i < 3; ++i) {
                           ASSERT_TRUE(store.counters()[0].draw(store.control().round.number, store.done().size()));
                         }
                       },
                       {});
  round_driver rounds(*work, work.plan, started);
  rounds.train_epoch(1, 1.0);
  for (const float n : started.store().parameters<float>()) ASSERT_EQ(n, 1.0f);
  EXPECT_EQ(started.rounds, 3);  // the epoch, its lost tickets, and those that were lost a second time
  rounds.train_epoch(2, 1.0);
  for (const float n : started.store().parameters<float>()) ASSERT_EQ(n, 2.0f);
  EXPECT_EQ(started.rounds, 4);
}

TEST_P(accidents, workers_that_never_finish_anything_end_the_run_with_a_sentence) {
  accident_run started(work,
                       [](const param_store& store, int) {
                         for (ticket_counter& counter : store.counters()) {
                           while (counter.draw(store.control().round.number, store.done().size())) {
                           }
                         }
                       },
                       {});
  round_driver rounds(*work, work.plan, started);
  EXPECT_THROW(rounds.train_epoch(1, 1.0), worker_error);
  EXPECT_EQ(started.rounds, 101);
}

TEST_P(accidents, a_ticket_that_was_trained_but_not_marked_is_trained_again) {
  accident_run started(work, {}, [](const param_store& store, int round) {
    if (round == 1) store.done()[5].round = 0;
  });
  round_driver rounds(*work, work.plan, started);
  rounds.train_epoch(1, 1.0);
  const auto counts = started.store().parameters<float>();
  const auto twice = std::ranges::count(counts, 2.0f), once = std::ranges::count(counts, 1.0f);
  EXPECT_EQ(static_cast<std::size_t>(twice), work.plan.chunks.rows_per_chunk());
  EXPECT_EQ(static_cast<std::size_t>(twice + once), counts.size());
}

/// Has something happen while a row is trained.
struct eventful_columns : test::counting_columns {
  std::function<void()> event;
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    event();
    test::counting_columns::gradient(w, z, emit);
  }
};

TEST_P(accidents, a_mark_of_a_later_round_is_not_lowered_by_who_finishes_late) {
  const param_store* store = nullptr;
  std::size_t ticket = 0, events = 0;
  const eventful_columns model{{1027}, [&] {
                                 // Others have gone on without this worker, and finished its ticket two rounds later.
                                 if (events++ > 0) return;
                                 ticket = store->slots()[0].held.get() - 1;
                                 store->done()[ticket].raise_to(store->control().round.number + 2);
                               }};
  const test::planned_task eventful = make_task(model, data.view(), label_map{}, {.shards = GetParam()});
  accident_run started(eventful, [&](const param_store& s, int) { store = &s; }, {});
  round_driver rounds(*eventful, eventful.plan, started);
  rounds.train_epoch(1, 1.0);
  EXPECT_GT(events, 0u);
  EXPECT_EQ(started.store().done()[ticket].get(), started.store().control().round.number + 2);
}

TEST_P(accidents, a_mark_of_a_later_round_is_not_lowered_when_a_round_is_closed) {
  const param_store store = param_store::in_memory(work.shape(2));
  round_plan round{.shards = static_cast<std::uint32_t>(store.shape().shards)};
  open_round(store, work.plan.chunks, round);
  store.done()[0].raise_to(round.number + 2);
  close_round(store, work.plan.chunks);
  EXPECT_EQ(store.done()[0].get(), round.number + 2);
  EXPECT_EQ(store.done()[1].get(), round.number);
}

INSTANTIATE_TEST_SUITE_P(every, accidents, testing::Values(sharding::claimed, sharding::fixed));

TEST(round_driver, a_stopped_run_leaves_the_round_and_starts_no_other) {
  test::kept_rows data = one_column_a_row(1000);
  const test::planned_task work = make_task(test::counting_columns{1000}, data.view(), label_map{}, {});
  accident_run started(work, [](const param_store& store, int) { store.control().stop = stop_request::round; }, {});
  round_driver rounds(*work, work.plan, started);
  rounds.train_epoch(1, 1.0);
  const auto trained = std::ranges::count(started.store().parameters<float>(), 1.0f);
  EXPECT_EQ(trained, 0) << "a chunk ends before its next row";
  rounds.train_epoch(2, 1.0);
  EXPECT_EQ(started.rounds, 1);
}

struct regularised : testing::Test {
  test::kept_rows data = test::planted_regression({.rows = 1000, .columns = 20});
  test::planned_task work_with(double l2, sharding shards = sharding::claimed) const {
    return make_task(least_squares{}, data.view(), label_map{}, {.shards = shards, .l2 = l2});
  }
  /// Plain dense sgd in double, row by row in the order of the tickets.
  std::vector<double> reference(const test::planned_task& work, std::size_t epochs, double step, double l2) const {
    std::vector<double> w(20);
    row_cursor cursor(data.view());
    for (std::size_t e = 1; e <= epochs; ++e) {
      const chunk_order order(work.plan.chunks, {0, work.plan.chunks.count()}, work->options().seed, e);
      for (std::size_t t = 0; t < work.plan.chunks.count(); ++t) {
        const chunk rows = work.plan.chunks[order(t)];
        for (std::size_t r = rows.first; r < rows.last; ++r) {
          const double slope = test::planted_score(data, r, w) - static_cast<double>(data.label[r]);
          for (double& x : w) x *= 1.0 - step * l2;
          for (auto [j, x] : cursor.row(r)) w[j] -= step * slope * static_cast<double>(x);
        }
      }
    }
    return w;
  }
};

TEST_F(regularised, scaled_weights_equal_plain_sgd_with_l2_also_where_an_epoch_needs_several_gates) {
  for (const double l2 : {1e-4, 1e-2, 0.1, 0.4}) {
    const auto work = work_with(l2);
    const auto started = start(serial_engine{}, *work, work.plan, {});
    round_driver rounds(*work, work.plan, *started);
    for (std::size_t e = 1; e <= 3; ++e) rounds.train_epoch(e, 0.2);
    EXPECT_GE(rounds.scale(), scaled_l2::smallest_scale * 0.99);
    const auto w = work->parameters_of(started->store(), rounds.scale());
    const auto expected = reference(work, 3, 0.2, l2);
    for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(static_cast<double>(w[j]), expected[j], 2e-5) << l2 << " " << j;
  }
}

TEST_F(regularised, redo_tickets_whose_rows_were_counted_do_not_shrink_the_scale_again) {
  for (const sharding shards : {sharding::claimed, sharding::fixed}) {
    constexpr double step = 0.1, l2 = 1e-3;
    const auto work = work_with(l2, shards);
    accident_run started(work, {}, [](const param_store& store, int round) {
      if (round == 1) store.done()[0].round = 0, store.done()[1].round = 0;
    });
    round_driver rounds(*work, work.plan, started);
    rounds.train_epoch(1, step);
    EXPECT_NEAR(rounds.scale(), std::pow(1.0 - step * l2, 1000.0), 1e-9);
  }
}

TEST_F(regularised, a_redo_ticket_stands_behind_the_redo_rows_before_it_whatever_the_shards) {
  const auto work = work_with(1e-3, sharding::fixed);
  const param_store store = param_store::in_memory(work.shape(2));
  const round_plan round{.pass = 1, .number = 1, .redo = 3, .shards = 2};
  store.counters()[0].open(1, 0);
  store.redo()[0] = 4, store.redo()[1] = 40, store.redo()[2] = 41;
  shard_source tickets({store, round, 1, work.plan.chunks, work->options()});
  const auto size = static_cast<double>(work.plan.chunks.rows_per_chunk());
  for (const double position : {0.0, size, 2.0 * size}) {
    const auto drawn = tickets.draw();
    ASSERT_TRUE(drawn);
    EXPECT_EQ(drawn->position, position);
  }
  EXPECT_FALSE(tickets.draw());
}

TEST_F(regularised, a_step_that_would_turn_the_weights_over_is_refused) {
  const auto work = work_with(2.0);
  const auto started = start(serial_engine{}, *work, work.plan, {});
  round_driver rounds(*work, work.plan, *started);
  EXPECT_THROW(rounds.train_epoch(1, 0.5), config_error);
  EXPECT_NO_THROW(rounds.train_epoch(1, 0.4));
}

struct claimed_tickets : testing::Test {
  test::kept_rows data = one_column_a_row(1000);
  test::planned_task work = make_task(test::counting_columns{1000}, data.view(), label_map{}, {});
  param_store store = param_store::in_memory(work.shape(3, 1));
  round_plan round{.pass = 1, .number = 1, .shards = 3};
  void SetUp() override {
    for (std::uint32_t s = 0; s < 3; ++s) store.counters()[s].open(1, part(s).first);
    store.control().drawn.open(1, 0);
  }
  shard part(std::uint32_t s) const { return shard::part(work.plan.chunks.count(), shard_id(s), 3); }
  shard_source of(std::size_t slot) const {
    return shard_source({store, round, slot, work.plan.chunks, work->options()});
  }
};

TEST_F(claimed_tickets, come_from_the_workers_own_part_and_then_from_where_most_is_left) {
  shard_source mine = of(1);
  store.counters()[0].open(1, part(0).last - 2);
  std::vector<std::size_t> numbers;
  while (const auto drawn = mine.draw()) numbers.push_back(drawn->number);
  std::vector<std::size_t> expected;
  for (std::size_t t = part(1).first; t < part(1).last; ++t) expected.push_back(t);
  for (std::size_t t = part(2).first; t + 2 < part(2).last; ++t) expected.push_back(t);
  ASSERT_EQ(numbers.size(), part(1).size() + part(2).size() + 2);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), numbers.begin()));
  std::ranges::sort(numbers);
  EXPECT_TRUE(std::ranges::adjacent_find(numbers) == numbers.end());
}

TEST_F(claimed_tickets, of_one_who_joined_late_come_from_the_fullest_part) {
  store.counters()[0].open(1, part(0).first + 3);
  store.counters()[1].open(1, part(1).first + 1);
  store.counters()[2].open(1, part(2).first + 2);
  EXPECT_EQ(of(3).draw()->number, part(1).first + 1);
}

TEST_F(claimed_tickets, stand_behind_all_that_were_drawn_before_them_by_anybody) {
  const auto size = static_cast<double>(work.plan.chunks.rows_per_chunk());
  shard_source first = of(0), second = of(2);
  EXPECT_EQ(first.draw()->position, 0.0);
  EXPECT_EQ(second.draw()->position, size);
  EXPECT_EQ(first.draw()->position, 2.0 * size);
}

TEST_F(claimed_tickets, end_with_their_round) {
  shard_source sleeper = of(0);
  for (ticket_counter& counter : store.counters()) counter.open(2, 0);
  EXPECT_FALSE(sleeper.draw());
}

}  // namespace
