// SPDX-License-Identifier: Apache-2.0
// A whole replica of a ring is stopped: the token passes it by, the others go on, and it does no harm when it wakes.
#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <hogwild/models/logistic.hpp>

#include "ring_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::ring_size;

struct stopped_replica : testing::TestWithParam<ring_size> {
  const ring_size size = GetParam();
  const std::size_t victim = size.replicas - 1;

  /// Stops the workers of the victim while the token names it: until somebody takes it over, nobody exchanges.
  std::vector<pid_t> stop_victim(const param_store& run) const {
    for (detail::wait_limit left(60s); !left.passed();) {
      if (!has_token(run)) {
        std::this_thread::yield();
        continue;
      }
      std::vector<pid_t> pids;
      for (const std::size_t s : size.slots_of(victim)) pids.push_back(test::send(run.slots()[s], SIGSTOP));
      for (const pid_t pid : pids) {
        siginfo_t info{};
        if (pid > 0) ::waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WEXITED | WNOWAIT);
      }
      if (has_token(run)) return pids;
      wake(pids);
      std::this_thread::sleep_for(5ms);
    }
    return {};
  }
  bool has_token(const param_store& run) const { return ring_token::replica(run.control().token.look()) == victim; }
  static void wake(const std::vector<pid_t>& pids) {
    for (const pid_t pid : pids) {
      if (pid > 0) ::kill(pid, SIGCONT);
    }
  }
  std::vector<std::uint64_t> exchanges(const param_store& run) const {
    std::vector<std::uint64_t> each;
    for (std::size_t v = 0; v < size.replicas; ++v) each.push_back(test::ring_exchanges(run, size, v));
    return each;
  }
  /// Waits until every replica but the victim has made `more` exchanges.
  bool others_exchange(const param_store& run, std::uint64_t more) const {
    const auto before = exchanges(run);
    return eventually(60s, [&] {
      const auto now = exchanges(run);
      for (std::size_t v = 0; v < size.replicas; ++v) {
        if (v != victim && now[v] < before[v] + more) return false;
      }
      return true;
    });
  }
  bool all(const param_store& run, worker_state state) const {
    for (const std::size_t s : size.slots_of(victim)) {
      if (run.slots()[s].state.load() != state) return false;
    }
    return true;
  }
};

TEST_P(stopped_replica, holds_nobody_up_and_the_epoch_ends_without_it) {
  const test::toy_rows rows = test::some_rows(20'000);
  const train_options options{.epochs = 6, .step = {.initial = 0.2, .decay = 0.6}};
  test::witness seen(test::slow_at_work::name);
  bool others_went_on = false, epoch_ended = false, is_back = false;
  std::jthread watcher([&] {
    const auto run = test::look_at_run(::getpid(), size.workers, test::slow_at_work::name);
    if (!run) return;
    eventually(60s, [&] { return test::ring_exchanges(*run, size, victim) > 3; });
    const auto stopped = stop_victim(*run);
    others_went_on = !stopped.empty() && others_exchange(*run, 3);
    const std::uint32_t epoch = run->control().round.epoch;
    epoch_ended = eventually(60s, [&] { return run->control().round.epoch > epoch; });
    wake(stopped);
    const std::uint64_t before = test::ring_exchanges(*run, size, victim);
    is_back = eventually(
        60s, [&] { return all(*run, worker_state::active) && test::ring_exchanges(*run, size, victim) > before + 2; });
  });
  train_options observed = options;
  observed.observers = {&seen};
  const train_result run = train(test::slow_at_work{}, rows.csr(), size.engine(), observed);
  watcher.join();
  EXPECT_TRUE(others_went_on);
  EXPECT_TRUE(epoch_ended);
  EXPECT_TRUE(is_back);
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_GE(run.examples, options.epochs * rows.rows());
  EXPECT_LE(run.workers_replaced, size.workers / size.replicas);
  ASSERT_TRUE(run.ring);
  EXPECT_GT(run.ring->taken_over, 0u);
  const double serial = train(logistic{}, rows.csr(), serial_engine{}, options).objective;
  RecordProperty("above_serial", std::to_string(run.objective / serial - 1.0));
  RecordProperty("taken_over", std::to_string(run.ring->taken_over));
  RecordProperty("replaced", std::to_string(run.workers_replaced));
  EXPECT_NEAR(run.objective, serial, 0.02 * serial);
  EXPECT_TRUE(test::leftovers().empty());
}

TEST_P(stopped_replica, that_wakes_before_the_epoch_ends_joins_in_again) {
  // An epoch lasts for several seconds.
  const test::toy_rows rows = test::some_rows(400'000);
  bool left_out = false, passed_over = false, others_went_on = false, rejoined = false, exchanged_again = false;
  test::watched_run watcher(size.workers, test::slow_at_work::name, [&](const param_store& run) {
    eventually(60s, [&] { return test::ring_exchanges(run, size, victim) > 3; });
    const auto stopped = stop_victim(run);
    passed_over = !stopped.empty() && others_exchange(run, 1);
    left_out = eventually(60s, [&] { return all(run, worker_state::left_out); });
    const std::uint64_t before = test::ring_exchanges(run, size, victim);
    others_went_on = others_exchange(run, 20);
    EXPECT_EQ(test::ring_exchanges(run, size, victim), before);
    wake(stopped);
    rejoined = eventually(60s, [&] { return all(run, worker_state::active); });
    exchanged_again = eventually(60s, [&] { return test::ring_exchanges(run, size, victim) > before + 5; });
  });
  const train_result run = train(test::slow_at_work{}, rows.csr(), size.engine(),
                                 {.epochs = 2, .step = {.initial = 0.1, .decay = 1.0}, .stop = watcher.stop()});
  watcher.join();
  EXPECT_TRUE(passed_over);
  EXPECT_TRUE(left_out);
  EXPECT_TRUE(others_went_on);
  EXPECT_TRUE(rejoined);
  EXPECT_TRUE(exchanged_again);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.workers_replaced, 0u);
  EXPECT_TRUE(test::leftovers().empty());
}

INSTANTIATE_TEST_SUITE_P(every, stopped_replica, testing::Values(ring_size{3, 6}, ring_size{2, 2}),
                         test::ring_size_name);

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role ring_stopped_role(hogwild::test::ring_role<hogwild::test::slow_at_work>);
