// SPDX-License-Identifier: Apache-2.0
// A stopped worker delays no other, and does no harm when it wakes.
#include <csignal>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/engines/stall_watch.hpp>
#include <hogwild/models/logistic.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using testing::Contains;
using testing::HasSubstr;

struct stopped_worker : testing::TestWithParam<std::tuple<sharding, sharing_kind>> {};

TEST_P(stopped_worker, is_left_out_after_a_second_and_joins_in_again) {
  const test::toy_rows rows = test::some_rows();
  test::witness seen(test::slow_logistic::name);
  bool left_out = false, others_went_on = false, rejoined = false, trained_again = false;
  std::chrono::nanoseconds until_left_out{0};
  test::watched_run watcher(2, test::slow_logistic::name, [&](const param_store& run) {
    const auto slots = run.slots();
    const auto now = stall_watch::clock::now;
    auto look = now(), before_progress = look;
    eventually(60s, [&, first = slots[0].rows.get()] {
      before_progress = std::exchange(look, now());
      return slots[0].rows.get() > first + 100;
    });
    test::send(slots[0], SIGSTOP);
    // After hardly more than the timeout where CPUs are free; a loaded machine may be ten times slower.
    left_out = eventually(20s, [&] { return slots[0].state.load() == worker_state::left_out; });
    until_left_out = now() - before_progress;
    const std::uint64_t mine = slots[0].rows.get(), others = slots[1].rows.get();
    others_went_on = eventually(60s, [&] { return slots[1].rows.get() > others + 10 * rows.rows(); }) &&
                     slots[0].rows.get() <= mine + 1;
    test::send(slots[0], SIGCONT);
    rejoined = eventually(60s, [&] { return slots[0].state.load() == worker_state::active; });
    trained_again = eventually(60s, [&] { return slots[0].rows.get() > mine + 100; });
  });
  const train_result run = train(test::slow_logistic{}, rows.csr(), process_engine{.workers = 2},
                                 {.epochs = 100000,
                                  .step = {.initial = 0.1, .decay = 1.0},
                                  .sharing = std::get<1>(GetParam()),
                                  .shards = std::get<0>(GetParam()),
                                  .observers = {&seen},
                                  .stop = watcher.stop()});
  watcher.join();
  EXPECT_TRUE(left_out);
  EXPECT_GE(until_left_out, stall_watch::timeout);
  EXPECT_TRUE(others_went_on);
  EXPECT_TRUE(rejoined);
  EXPECT_TRUE(trained_again);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.workers_replaced, 0u);
  EXPECT_THAT(seen.notes(), Contains(HasSubstr("has made no progress for a second; the others go on without it")));
}

INSTANTIATE_TEST_SUITE_P(every, stopped_worker,
                         testing::Combine(testing::Values(sharding::claimed, sharding::fixed),
                                          testing::Values(sharing_kind::direct, sharing_kind::buffered)));

TEST(stopped_workers, the_only_one_is_helped_out_by_another) {
  const test::toy_rows rows = test::some_rows();
  test::witness seen(test::slow_logistic::name);
  std::jthread watcher([&] {
    const auto run = test::look_at_run(::getpid(), 1, test::slow_logistic::name);
    if (run) test::send(run->slots()[0], SIGSTOP);
  });
  const train_result run = train(test::slow_logistic{}, rows.csr(), process_engine{.workers = 1},
                                 {.epochs = 20, .step = {.initial = 0.1, .decay = 1.0}, .observers = {&seen}});
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_EQ(run.epochs, 20u);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_THAT(seen.notes(), Contains("all workers are stopped; another one is started"));
  EXPECT_TRUE(test::leftovers().empty());
}

struct stopped_workers_of : testing::TestWithParam<sharing_kind> {};

TEST_P(stopped_workers_of, every_sharing_do_not_add_after_the_scale_was_folded) {
  // step * l2 * n = 25: the scale of the weights falls far below 1 and is folded in twice an epoch. An add computed
  // under the old scale would be too large by up to a million.
  const test::toy_rows rows = test::some_rows();
  const train_options options{.epochs = 30, .step = {.initial = 0.5, .decay = 1.0}, .l2 = 0.05, .sharing = GetParam()};
  const train_result serial = train(logistic{}, rows.csr(), serial_engine{}, options);
  std::size_t folded_without = 0;
  std::jthread watcher([&](const std::stop_token& stop) {
    const auto run = test::look_at_run(::getpid(), 2, test::slow_logistic::name);
    for (std::size_t i = 0; run && !stop.stop_requested(); i ^= 1) {
      worker_slot& slot = run->slots()[i];
      if (slot.held.get() == 0) continue;
      const pid_t pid = test::send(slot, SIGSTOP);
      if (pid <= 0) continue;
      const auto happens = [&](const auto& what) { eventually(60s, [&] { return stop.stop_requested() || what(); }); };
      happens([&] { return slot.state.load() != worker_state::active || slot.pid.load() != pid; });
      happens([&, epoch = run->control().round.epoch] { return run->control().round.epoch > epoch + 3; });
      folded_without += !stop.stop_requested();
      ::kill(pid, SIGCONT);
    }
  });
  const train_result run = train(test::slow_logistic{}, rows.csr(), process_engine{.workers = 2}, options);
  watcher.request_stop();
  watcher.join();
  EXPECT_GT(folded_without, 0u);
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_NEAR(run.objective, serial.objective, 0.1 * serial.objective);
  for (const float w : run.parameters) EXPECT_LT(std::abs(w), 10.0f);
}

INSTANTIATE_TEST_SUITE_P(both, stopped_workers_of, testing::Values(sharing_kind::direct, sharing_kind::buffered));

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role stopped_workers_role(hogwild::test::worker_role<hogwild::test::slow_logistic>);
