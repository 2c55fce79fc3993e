// SPDX-License-Identifier: Apache-2.0
// Workers are killed at random instants, 200 times and more in all: each run ends as if nothing had happened.
#include <csignal>
#include <fstream>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

/// Kills children of this process's thread `spawner`, in whatever state they are, until as many have been killed as the
/// witness waits for.
class killer {
 public:
  killer(test::patient_witness& seen, std::chrono::microseconds pause, unsigned seed)
      : thread_([this, &seen, pause, seed, spawner = ::gettid()](const std::stop_token& stop) {
          std::mt19937 random(seed);
          std::uniform_int_distribution<long> wait(0, 2 * pause.count());
          while (!stop.stop_requested() && killed_.size() < seen.most) {
            std::this_thread::sleep_for(std::chrono::microseconds(wait(random)));
            // A slow machine's workers may all die before they join, and 30 of these in a row end a run.
            if (killed_.size() >= seen.ended + 20) continue;
            const auto children = test::children_of(spawner);
            if (children.empty()) continue;
            const pid_t victim = children[random() % children.size()];
            if (killed_.contains(victim) || ::kill(victim, SIGKILL) != 0) continue;
            killed_.insert(victim);
            ++seen.deaths;
          }
        }) {}
  std::size_t finish() {
    thread_.request_stop();
    thread_.join();
    return killed_.size();
  }

 private:
  std::set<pid_t> killed_;
  std::jthread thread_;
};

struct kill_case {
  update_kind update;
  sharding shards;
  std::size_t workers;
};

struct killed_workers : testing::TestWithParam<kill_case> {};

TEST_P(killed_workers, are_replaced_and_the_run_ends_as_ever) {
  const test::toy_rows rows = test::some_rows();
  const csr_rows data = rows.csr();
  test::patient_witness seen(test::slow_logistic::name, 55, 1);
  const test::scratch_folder folder;
  const std::size_t epochs = GetParam().workers == 1 ? 60 : 100;  // at least one for each death
  const train_options options{.epochs = epochs * test::slowness,
                              .step = {.initial = 0.2, .decay = 0.95},
                              .update = GetParam().update,
                              .sharing = sharing_kind::direct,
                              .shards = GetParam().shards,
                              .record = folder / "run.jsonl",
                              .observers = {&seen}};
  killer death(seen, 15ms * test::slowness, static_cast<unsigned>(GetParam().workers));
  const train_result run = train(test::slow_logistic{}, data, process_engine{.workers = GetParam().workers}, options);
  const std::size_t killed = death.finish();

  const double serial =
      train(logistic{}, data, serial_engine{}, {.epochs = options.epochs, .step = options.step}).train_loss;
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_NEAR(run.train_loss, serial, 0.01 * serial);
  EXPECT_EQ(killed, 55u);
  EXPECT_LE(run.workers_replaced, killed);
  EXPECT_GE(run.workers_replaced + GetParam().workers, killed);  // the last ones may have died after the last epoch
  EXPECT_THAT(test::read_text(folder / "run.jsonl"),
              HasSubstr("\"workers_replaced\":" + std::to_string(run.workers_replaced) + ","));
  EXPECT_TRUE(seen.saw_segment());
  EXPECT_EQ(seen.epochs, options.epochs);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_GE(run.examples, options.epochs * rows.rows() - 55u * 16u);
  EXPECT_THAT(seen.notes(), Contains(HasSubstr("was killed by signal 9 (Killed); another one takes its place")));
  EXPECT_TRUE(test::leftovers().empty());
}

INSTANTIATE_TEST_SUITE_P(every, killed_workers,
                         testing::Values(kill_case{update_kind::lossy, sharding::claimed, 2},
                                         kill_case{update_kind::exact, sharding::fixed, 3},
                                         kill_case{update_kind::locked, sharding::claimed, 4},
                                         kill_case{update_kind::lossy, sharding::fixed, 1}));

TEST(a_note_of_a_death, may_end_the_run_by_an_exception) {
  const test::toy_rows rows = test::some_rows();
  struct : observer {
    void on_note(std::string_view sentence) override { throw std::runtime_error(std::string(sentence)); }
    void on_failure() override { ++failures; }
    int failures = 0;
  } refuses;
  test::patient_witness count(test::slow_logistic::name, 1, 1);  // no observer of the run
  killer death(count, 15ms * test::slowness, 2);
  try {
    train(test::slow_logistic{}, rows.csr(), process_engine{.workers = 2},
          {.epochs = 1'000'000, .step = {.initial = 0.2, .decay = 1.0}, .observers = {&refuses}});
    ADD_FAILURE() << "the run went on";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("was killed by signal 9"));
  }
  EXPECT_EQ(death.finish(), 1u);
  EXPECT_EQ(refuses.failures, 1);
  EXPECT_TRUE(test::leftovers().empty());
}

TEST(killed_in_full_career, under_every_update_policy) {
  // No worker sleeps here: workers die anywhere in the worker loop, under `locked` also while they hold stripes.
  const test::toy_rows rows = test::planted_classification({.rows = 20000, .columns = 200, .per_row = 20});
  const csr_rows data = rows.csr();
  for (const auto update : {update_kind::lossy, update_kind::exact, update_kind::locked}) {
    test::patient_witness seen(logistic::name, 30, 3);
    train_options options{
        .epochs = 100, .step = {.initial = 0.2, .decay = 0.95}, .update = update, .sharing = sharing_kind::direct};
    const double serial = train(logistic{}, data, serial_engine{}, options).train_loss;
    options.observers = {&seen};
    killer death(seen, 10ms * test::slowness, 7);
    const train_result run = train(logistic{}, data, process_engine{.workers = 2}, options);
    EXPECT_EQ(death.finish(), 30u);
    EXPECT_EQ(run.status, run_status::done);
    EXPECT_NEAR(run.train_loss, serial, 0.01 * serial);
    EXPECT_EQ(seen.unfinished, 0u);
    EXPECT_TRUE(test::leftovers().empty());
  }
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role killed_workers_role(
    hogwild::test::worker_role<hogwild::test::slow_logistic, hogwild::logistic>);
