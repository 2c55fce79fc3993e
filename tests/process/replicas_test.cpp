// SPDX-License-Identifier: Apache-2.0
// Replicas in processes: nothing is lost but what a dead worker had not sent, and that is counted.
#include <atomic>
#include <csignal>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/models/logistic.hpp>

#include "process_run.hpp"
#include "support/counting.hpp"
#include "support/planned_task.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using test::eventually;

struct counted : testing::TestWithParam<std::tuple<access_kind, std::size_t>> {
  template <class Model>
  void expect_all_counted(const Model& m, std::size_t columns) const {
    const auto [sharing, workers] = GetParam();
    constexpr std::size_t epochs = 4;
    const auto toy = test::countable_rows(3'000, columns);
    const csr_rows data = toy.csr();
    const auto work = test::counting_task(m, data.view(), update_kind::exact, sharing, workers, 8);
    const auto processes = start(process_engine{.workers = workers}, *work, work.plan, {});
    processes->get_ready();
    round_driver rounds(*work, work.plan, *processes);
    for (std::size_t e = 1; e <= epochs; ++e) rounds.train_epoch(e, 1.0);
    EXPECT_EQ(work->parameters_of(processes->store(), rounds.scale()), test::counts_after(toy, epochs));
    EXPECT_EQ(processes->rows_lost(), 0u);
  }
};

TEST_P(counted, no_add_of_a_margin_model_is_lost_in_exact) {
  expect_all_counted(test::counting_margins{}, 1'500);
}
TEST_P(counted, no_add_of_a_general_model_is_lost_in_exact) {
  expect_all_counted(test::counting_columns{1'500}, 1'500);
}

INSTANTIATE_TEST_SUITE_P(every, counted,
                         testing::Combine(testing::Values(access_kind::buffered, access_kind::head),
                                          testing::Values(2u, 4u)));

struct several : testing::TestWithParam<std::tuple<sharing_kind, std::size_t>> {};

TEST_P(several, end_near_the_serial_objective) {
  const auto [sharing, workers] = GetParam();
  const test::toy_rows rows = test::planted_classification({.rows = 20'000, .columns = 200, .per_row = 20});
  for (const auto update : {update_kind::lossy, update_kind::exact}) {
    train_options options{
        .epochs = 12, .step = {.initial = 0.2, .decay = 0.7}, .update = update, .sharing = sharing_kind::direct};
    const double serial = train(logistic{}, rows.csr(), serial_engine{}, options).objective;
    options.sharing = sharing;
    const train_result run = train(logistic{}, rows.csr(), process_engine{.workers = workers}, options);
    EXPECT_EQ(run.status, run_status::done);
    RecordProperty(update == update_kind::lossy ? "above_serial_lossy" : "above_serial_exact",
                   std::to_string(run.objective / serial - 1.0));
    // The step falls to a fiftieth. Over 8 runs of each kind the objective was at most 0.0006 % from the serial one,
    // with a standard deviation of 0.0002 %: the band ends thousands of deviations away.
    EXPECT_NEAR(run.objective, serial, 0.01 * serial);
    EXPECT_EQ(run.rows_lost, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(every, several,
                         testing::Combine(testing::Values(sharing_kind::automatic, sharing_kind::buffered,
                                                          sharing_kind::head),
                                          testing::Values(1u, 2u, 4u, 8u)));

/// A run of slow workers on replicas, and what a second thread does to them.
struct interrupted : testing::TestWithParam<std::size_t> {
  const std::size_t workers = GetParam();
  const test::toy_rows rows = test::some_rows();
  train_options options{
      .epochs = 40 * test::slowness, .step = {.initial = 0.2, .decay = 0.9}, .sharing = sharing_kind::buffered};

  train_result run(observer& seen) {
    train_options o = options;
    o.observers = {&seen};
    return train(test::slow_logistic{}, rows.csr(), process_engine{.workers = workers}, o);
  }
  double serial() const { return train(logistic{}, rows.csr(), serial_engine{}, options).objective; }
};

/// Lets the run go on until so many workers have been killed: between epochs, where it could wait, none has anything
/// unsent.
struct until_killed : test::witness {
  using witness::witness;
  observer_answer on_epoch(const epoch_report& epoch) override {
    witness::on_epoch(epoch);
    return epoch.epoch >= least_epochs && killed >= most ? observer_answer::stop : observer_answer::go_on;
  }
  static constexpr std::size_t most = 10;
  std::size_t least_epochs = 0;
  std::atomic<std::size_t> killed = 0;
};

TEST_P(interrupted, who_is_killed_takes_along_what_it_had_not_sent_and_no_more) {
  until_killed seen(test::slow_logistic::name);
  seen.least_epochs = options.epochs;
  std::uint64_t unsent = 0, most = 0;
  std::jthread watcher([&](const std::stop_token& end) {
    const auto run = test::look_at_run(::getpid(), workers, test::slow_logistic::name);
    if (!run) return;
    for (std::size_t i = 0; seen.killed < until_killed::most && !end.stop_requested(); i = (i + 1) % workers) {
      worker_slot& slot = run->slots()[i];
      if (slot.state.load() != worker_state::active || slot.unsent.get() == 0) {
        std::this_thread::sleep_for(200us);
        continue;
      }
      const pid_t pid = slot.pid.load();
      const auto lost = test::kill_standing_still(slot);
      if (!lost) continue;
      unsent += *lost;
      most += run->control().round.exchange_rows;  // so few columns are all exchanged each time
      ++seen.killed;
      eventually(60s, [&] { return slot.pid.load() != pid || end.stop_requested(); });
    }
  });
  options.epochs *= 20;
  const train_result result = run(seen);
  watcher.request_stop();
  watcher.join();
  options.epochs = result.epochs;
  EXPECT_EQ(result.stopped_by, stop_cause::observer);
  EXPECT_EQ(seen.killed, until_killed::most);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_GT(result.rows_lost, 0u);
  EXPECT_EQ(result.rows_lost, unsent);
  EXPECT_LE(result.rows_lost, most);
  RecordProperty("above_serial", std::to_string(result.objective / serial() - 1.0));
  EXPECT_NEAR(result.objective, serial(), 0.02 * serial());
  EXPECT_TRUE(test::leftovers().empty());
}

TEST_P(interrupted, who_is_stopped_is_left_out_drops_what_it_had_not_sent_and_joins_in_again) {
  test::witness seen(test::slow_logistic::name);
  bool left_out = false, rejoined = false;
  std::uint64_t unsent = 0;
  options.epochs = 1'000'000;
  options.step.decay = 1.0;
  options.step.initial = 0.05;
  test::watched_run watcher(workers, test::slow_logistic::name, [&](const param_store& run) {
    worker_slot& slot = run.slots()[0];
    eventually(60s, [&] { return slot.unsent.get() > 0; });
    const pid_t pid = test::send(slot, SIGSTOP);
    left_out = eventually(60s, [&] { return slot.state.load() == worker_state::left_out; });
    unsent = slot.unsent.get();
    const std::uint64_t others = run.slots()[1].rows.get();
    eventually(60s, [&] { return run.slots()[1].rows.get() > others + 500; });
    ::kill(pid, SIGCONT);
    rejoined = eventually(60s, [&] { return slot.state.load() == worker_state::active; });
    const std::uint64_t before = slot.rows.get();
    rejoined = rejoined && eventually(60s, [&] { return slot.rows.get() > before + 100; });
  });
  options.stop = watcher.stop();
  const train_result result = run(seen);
  watcher.join();
  EXPECT_TRUE(left_out);
  EXPECT_TRUE(rejoined);
  EXPECT_EQ(result.status, run_status::stopped);
  EXPECT_EQ(result.rows_lost, unsent);
  EXPECT_EQ(result.workers_replaced, 0u);
  EXPECT_EQ(seen.unfinished, 0u);
}

INSTANTIATE_TEST_SUITE_P(two_to_four, interrupted, testing::Values(2u, 3u, 4u));

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role replicas_role(
    hogwild::test::worker_role<hogwild::logistic, hogwild::test::slow_logistic, hogwild::test::counting_margins,
                               hogwild::test::counting_columns>);
