// SPDX-License-Identifier: Apache-2.0
// The process that drives a device is killed again and again: another one takes its place, and the run ends as if
// nothing had happened.
#include <csignal>
#include <ostream>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/models/logistic.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using testing::Contains;
using testing::HasSubstr;

struct driven {
  std::size_t devices = 1, workers = 0;  ///< workers on the CPU, beside them
  memory_kind memory = memory_kind::device;
};
void PrintTo(const driven& c, std::ostream* out) {
  *out << c.devices << " devices, " << c.workers << " workers, memory " << static_cast<int>(c.memory);
}

struct device_beside : testing::TestWithParam<driven> {};

TEST_P(device_beside, whose_process_is_killed_is_driven_by_another_one) {
  constexpr std::size_t deaths = 12, epochs_of_one = 4;
  // Epochs are so short that by chance all could die between two of them: the first one dies with rows in hand, for
  // which there is the time of three deaths.
  constexpr std::size_t ahead = 3;
  const test::toy_rows rows = test::some_rows();
  test::patient_witness seen(test::slow_logistic::name, deaths + ahead, epochs_of_one);
  seen.deaths = ahead;
  const train_options options{.epochs = (deaths + ahead) * epochs_of_one * test::slowness,
                              .step = {.initial = 0.2, .decay = 0.95},
                              .observers = {&seen}};
  std::set<pid_t> killed;
  std::uint64_t lost = 0;
  std::jthread death([&](const std::stop_token& stop) {
    const auto run = test::look_at_run(::getpid(), GetParam().devices + GetParam().workers, test::slow_logistic::name);
    if (!run) return;
    std::mt19937 random(18);
    while (!stop.stop_requested() && killed.size() < deaths) {
      // A driver that has just come has no rows yet.
      if (lost > 0 || !killed.empty())
        std::this_thread::sleep_for(std::chrono::milliseconds(30 + random() % 60) * test::slowness);
      const worker_slot& slot = run->slots()[random() % GetParam().devices];
      const pid_t driver = slot.pid.load();
      if (driver <= 0 || killed.contains(driver)) continue;
      // Where the witness waits for a death, nobody has rows in hand.
      const bool trains = seen.ended <= seen.deaths * epochs_of_one;
      const auto unsent = test::kill_standing_still(slot, lost == 0 && trains ? 1 : 0);
      if (!unsent) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      lost += *unsent;
      killed.insert(driver);
      ++seen.deaths;
    }
  });
  const train_result run = train(test::slow_logistic{}, rows.csr(),
                                 cuda_engine{.workers = GetParam().workers,
                                             .device = std::vector<int>(GetParam().devices, emulated_device),
                                             .memory = GetParam().memory,
                                             .transport = transport_kind::shared_segment},
                                 options);
  death.request_stop();
  death.join();

  const double serial =
      train(logistic{}, rows.csr(), serial_engine{}, {.epochs = options.epochs, .step = options.step}).objective;
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_NEAR(run.objective, serial, 0.02 * serial);
  EXPECT_EQ(killed.size(), deaths);
  EXPECT_LE(run.workers_replaced, deaths);
  EXPECT_GE(run.workers_replaced + 1, deaths);  // the last one may have died after the last epoch
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(run.rows_lost, lost);
  EXPECT_LE(run.rows_lost, deaths * rows.rows());
  EXPECT_EQ(run.devices.size(), GetParam().devices);
  EXPECT_EQ(seen.unfinished, 0u);
  EXPECT_GE(run.examples, options.epochs * rows.rows());
  EXPECT_THAT(seen.notes(), Contains(HasSubstr("was killed by signal 9 (Killed); another one takes its place")));
  EXPECT_TRUE(test::leftovers().empty());
}

INSTANTIATE_TEST_SUITE_P(every, device_beside,
                         testing::Values(driven{1, 0}, driven{1, 1}, driven{2, 0}, driven{3, 1},
                                         driven{1, 0, memory_kind::pinned}, driven{1, 1, memory_kind::pinned},
                                         driven{2, 1, memory_kind::pinned}));

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role device_killed_role(hogwild::test::worker_role<hogwild::test::slow_logistic>);
