// SPDX-License-Identifier: Apache-2.0
// Whole replicas of a ring are killed: the run ends as if nothing had happened.
#include <csignal>
#include <random>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>

#include "ring_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::ring_size;
using testing::Contains;
using testing::HasSubstr;

struct kill_case {
  ring_size size;
  update_kind update;
  ring_rule rule;
};

struct killed_replica : testing::TestWithParam<kill_case> {
  const ring_size size = GetParam().size;
  const test::toy_rows rows = test::some_rows();
  // Two workers take three times as long for an epoch as six.
  train_options options{.epochs = (size.workers == 2 ? 40u : 60u) * test::slowness,
                        .step = {.initial = 0.2, .decay = 0.93},
                        .update = GetParam().update};

  /// Kills all workers of replica `v`, and adds them to `killed`.
  void kill(const param_store& run, std::size_t v) {
    for (const std::size_t s : size.slots_of(v)) {
      const pid_t pid = run.slots()[s].pid.load();
      if (pid <= 0 || killed.contains(pid) || ::kill(pid, SIGKILL) != 0) continue;
      killed.insert(pid);
      ++seen.deaths;
    }
  }

  void expect_a_run_as_ever(std::jthread& death) {
    options.observers = {&seen};
    const train_result run = train(test::slow_at_work{}, rows.csr(), size.engine(GetParam().rule), options);
    death.request_stop();
    death.join();
    options.observers.clear();
    const double serial = train(logistic{}, rows.csr(), serial_engine{}, options).objective;
    RecordProperty("above_serial", std::to_string(run.objective / serial - 1.0));
    RecordProperty("killed", std::to_string(killed.size()));
    EXPECT_EQ(run.status, run_status::done);
    EXPECT_EQ(seen.epochs, options.epochs);
    EXPECT_TRUE(seen.saw_segment());
    EXPECT_EQ(seen.unfinished, 0u);
    EXPECT_GE(run.examples, options.epochs * rows.rows());
    EXPECT_NEAR(run.objective, serial, 0.02 * serial);
    EXPECT_LE(run.workers_replaced, killed.size());
    EXPECT_GE(run.workers_replaced + size.workers, killed.size());  // the last ones may have died after the last epoch
    ASSERT_TRUE(run.ring);
    EXPECT_EQ(run.ring->replicas, size.replicas);
    EXPECT_GT(run.ring->exchanges, 0u);
    EXPECT_THAT(seen.notes(), Contains(HasSubstr("was killed by signal 9 (Killed); another one takes its place")));
    EXPECT_TRUE(test::leftovers().empty());
    replaced = run.workers_replaced;
  }

  test::patient_witness seen{test::slow_at_work::name, 0, 1};
  std::set<pid_t> killed;
  std::size_t replaced = 0;
};

TEST_P(killed_replica, in_the_middle_of_a_run_is_replaced) {
  std::jthread death([this] {
    const auto run = test::look_at_run(::getpid(), size.workers, test::slow_at_work::name);
    if (!run) return;
    const std::size_t victim = size.replicas - 1, first = size.slots_of(victim).front();
    eventually(60s, [&] { return run->slots()[first].rows.get() > 2 * rows.rows() && run->slots()[first].held.get(); });
    kill(*run, victim);
  });
  expect_a_run_as_ever(death);
  EXPECT_EQ(killed.size(), size.workers / size.replicas);
  EXPECT_EQ(replaced, killed.size());
}

TEST_P(killed_replica, again_and_again_at_random_moments_is_replaced) {
  constexpr std::size_t deaths = 54;
  seen.most = deaths;
  options.epochs *= 2;
  std::jthread death([this](const std::stop_token& end) {
    const auto run = test::look_at_run(::getpid(), size.workers, test::slow_at_work::name);
    if (!run) return;
    std::mt19937 random(static_cast<unsigned>(size.workers));
    std::uniform_int_distribution<int> wait(0, 40'000 * test::slowness);
    while (!end.stop_requested() && killed.size() < deaths) {
      std::this_thread::sleep_for(std::chrono::microseconds(wait(random)));
      kill(*run, random() % size.replicas);
    }
  });
  expect_a_run_as_ever(death);
  EXPECT_GE(killed.size(), deaths);
}

INSTANTIATE_TEST_SUITE_P(every, killed_replica,
                         testing::Values(kill_case{{3, 6}, update_kind::lossy, ring_rule::deltas},
                                         kill_case{{3, 6}, update_kind::exact, ring_rule::deltas},
                                         kill_case{{2, 2}, update_kind::lossy, ring_rule::deltas},
                                         kill_case{{2, 2}, update_kind::exact, ring_rule::average}));

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role ring_killed_role(hogwild::test::ring_role<hogwild::test::slow_at_work>);
