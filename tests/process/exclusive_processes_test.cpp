// SPDX-License-Identifier: Apache-2.0
// Workers whose examples are atomic as processes: no add is lost, order gives the bits of a serial run, and no worker
// waits for one that was killed or stopped.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>

#include "process_run.hpp"
#include "support/counting.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using testing::Contains;
using testing::HasSubstr;

struct exclusive_processes : testing::TestWithParam<update_kind> {};

TEST_P(exclusive_processes, lose_no_add_to_one_hot_column) {
  constexpr std::size_t rows = 2000, epochs = 5;
  test::toy_rows toy;
  toy.columns = 1;
  for (std::size_t r = 0; r < rows; ++r) toy.push({0}, {1.0f}, 0.0f);
  const train_result run = train(test::counting_columns{1}, toy.csr(), process_engine{.workers = 3},
                                 {.epochs = epochs, .step = {.initial = 1.0, .decay = 1.0}, .update = GetParam()});
  EXPECT_EQ(run.workers, 3u);
  EXPECT_EQ(run.parameters[0], static_cast<float>(epochs * rows));
}

TEST_P(exclusive_processes, go_on_without_one_that_is_stopped_in_its_turn_or_with_locks) {
  const test::toy_rows rows = test::some_rows();
  test::witness seen(test::slow_logistic::name);
  bool left_out = false, others_went_on = false, trained_again = false;
  test::watched_run watcher(3, test::slow_logistic::name, [&](const param_store& run) {
    const auto slots = run.slots();
    const auto rows_of = [&](std::size_t slot, std::uint64_t more) {
      const std::uint64_t now = slots[slot].rows.get();
      return eventually(60s, [&] { return slots[slot].rows.get() > now + more; });
    };
    // Almost all of the time somebody is between the reads and the adds of a row: soon it is this one.
    while (slots[0].held.get() == 0) std::this_thread::yield();
    test::send(slots[0], SIGSTOP);
    left_out = eventually(60s, [&] { return slots[0].state.load() == worker_state::left_out; });
    others_went_on = rows_of(1, 500) && rows_of(2, 500);
    test::send(slots[0], SIGCONT);
    trained_again = rows_of(0, 100);
  });
  const train_result run = train(test::slow_logistic{}, rows.csr(), process_engine{.workers = 3},
                                 {.epochs = 100000,
                                  .step = {.initial = 0.1, .decay = 1.0},
                                  .update = GetParam(),
                                  .observers = {&seen},
                                  .stop = watcher.stop()});
  watcher.join();
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_TRUE(left_out);
  EXPECT_TRUE(others_went_on);
  EXPECT_TRUE(trained_again);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_THAT(seen.notes(), Contains(HasSubstr("has made no progress for a second; the others go on without it")));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST_P(exclusive_processes, are_replaced_where_they_are_killed) {
  const test::toy_rows rows = test::planted_classification({.rows = 4000, .columns = 200, .per_row = 20});
  test::witness seen(logistic::name);
  std::size_t killed = 0;
  bool went_on = false;
  test::watched_run watcher(2, logistic::name, [&](const param_store& run) {
    for (std::size_t tries = 0; killed < 10 && tries < 20; ++tries) {
      worker_slot& slot = run.slots()[tries % 2];
      if (!eventually(60s, [&] { return slot.state.load() == worker_state::active; })) break;
      // It trains: mostly it is in the middle of a row, or waits for its turn or for a lock.
      if (!eventually(60s, [&, before = slot.rows.get()] { return slot.rows.get() != before; })) break;
      const pid_t pid = test::send(slot, SIGKILL);
      if (pid <= 0) continue;
      if (!eventually(60s, [&] { return slot.pid.load() != pid; })) break;
      ++killed;
    }
    const std::uint32_t gate = run.control().gate.load();
    went_on = eventually(60s, [&] { return run.control().gate.load() > gate + 10; });
  });
  const train_result run = train(logistic{}, rows.csr(), process_engine{.workers = 2},
                                 {.epochs = 100000,
                                  .step = {.initial = 0.2, .decay = 0.95},
                                  .update = GetParam(),
                                  .observers = {&seen},
                                  .stop = watcher.stop()});
  watcher.join();
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(killed, 10u);
  EXPECT_TRUE(went_on);
  EXPECT_GE(run.workers_replaced, killed);
  EXPECT_GT(seen.epochs, 0u);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_TRUE(test::leftovers().empty());
}

INSTANTIATE_TEST_SUITE_P(every, exclusive_processes, testing::Values(update_kind::edge_locked, update_kind::ordered));

TEST(ordered_processes, give_the_bits_of_serial_with_any_number_of_them) {
  const test::toy_rows rows = test::planted_classification({.rows = 900, .columns = 12, .per_row = 4});
  const train_options options{
      .epochs = 3, .step = {.initial = 0.3, .decay = 0.9}, .l2 = 1e-3, .update = update_kind::ordered, .bias = true};
  const train_result serial = train(logistic{}, rows.csr(), serial_engine{}, options);
  for (const std::size_t workers : {1u, 2u, 4u}) {
    const train_result run = train(logistic{}, rows.csr(), process_engine{.workers = workers}, options);
    EXPECT_EQ(run.workers, workers);
    EXPECT_EQ(run.parameters, serial.parameters) << workers << " workers";
    EXPECT_EQ(run.objective, serial.objective);
  }
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role exclusive_processes_role(
    hogwild::test::worker_role<hogwild::test::slow_logistic, hogwild::logistic, hogwild::test::counting_columns>);
