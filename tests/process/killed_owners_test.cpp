// SPDX-License-Identifier: Apache-2.0
// Workers that own blocks of ratings are killed, or stopped: others take over their blocks, and no block is left out.
#include <atomic>
#include <csignal>
#include <fstream>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process_run.hpp"
#include "support/program_role.hpp"
#include "support/toy_ratings.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr test::toy_ratings_shape shape{.users = 2000, .items = 1000, .ratings = 200'000};

struct owners : testing::Test {
  test::toy_rows rows = test::planted_ratings(shape);
  csr_rows data = rows.csr();
  matrix_factorization model = test::factors_of(shape, 32);
  train_options options{.epochs = 60, .step = {.initial = 0.05, .decay = 0.97}, .ownership = ownership_kind::blocks};
};

/// Runs `act` every `pause` until the run is over.
class meanwhile {
 public:
  meanwhile(std::chrono::microseconds pause, std::function<void()> act)
      : thread_([pause, act = std::move(act)](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            std::this_thread::sleep_for(pause);
            act();
          }
        }) {}

 private:
  std::jthread thread_;
};

TEST_F(owners, that_are_killed_are_replaced_and_no_block_is_left_out) {
  const double serial = train(model, data, serial_engine{}, options).train_loss;
  test::patient_witness seen(matrix_factorization::name, 20, 3);
  options.epochs *= test::slowness;
  options.observers = {&seen};
  std::mt19937 random(3);
  std::set<pid_t> killed;
  train_result run;
  {
    const meanwhile death(4ms * test::slowness, [&, spawner = ::gettid()] {
      const auto children = test::children_of(spawner);
      if (children.empty() || killed.size() >= seen.most) return;
      const pid_t victim = children[random() % children.size()];
      if (killed.contains(victim) || ::kill(victim, SIGKILL) != 0) return;
      killed.insert(victim);
      ++seen.deaths;
    });
    run = train(model, data, process_engine{.workers = 3}, options);
  }
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_NEAR(run.train_loss, serial, 0.02 * serial);
  EXPECT_EQ(seen.epochs, options.epochs);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_EQ(killed.size(), seen.most);
  EXPECT_THAT(seen.notes(), Contains(HasSubstr("was killed by signal 9 (Killed); another one takes its place")));
  EXPECT_TRUE(test::leftovers().empty());
}

TEST_F(owners, that_are_processes_are_as_good_as_one_worker) {
  const double serial = train(model, data, serial_engine{}, options).train_loss;
  const train_result run = train(model, data, process_engine{.workers = 2}, options);
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_EQ(run.workers, 2u);
  EXPECT_NEAR(run.train_loss, serial, 0.02 * serial);
  EXPECT_EQ(run.examples, options.epochs * shape.ratings);
}

TEST_F(owners, that_are_stopped_lose_what_they_owned_to_others) {
  test::witness seen(matrix_factorization::name);
  std::atomic<std::size_t> epochs{0};
  std::atomic<pid_t> stopped{0};
  options.epochs = 400;
  options.observers = {&seen, [&](const epoch_report& epoch) {
                         epochs = epoch.epoch;
                         if (epoch.epoch == 200) test::eventually(60s, [&] { return stopped != 0; });
                       }};
  train_result run;
  {
    const meanwhile halt(10ms, [&, spawner = ::gettid()] {
      if (stopped != 0 || epochs < 3) return;
      const auto children = test::children_of(spawner);
      if (!children.empty() && ::kill(children.front(), SIGSTOP) == 0) stopped = children.front();
    });
    run = train(model, data, process_engine{.workers = 2}, options);
  }
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_NE(stopped, 0);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_TRUE(test::leftovers().empty());
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role killed_owners_role(hogwild::test::worker_role<hogwild::matrix_factorization>);
