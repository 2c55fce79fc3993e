// SPDX-License-Identifier: Apache-2.0
// Counting on a ring of processes: under exact updates no add is lost but what a dead worker had not sent.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <hogwild/detail/engines/stall_watch.hpp>
#include <hogwild/detail/run/rounds.hpp>

#include "ring_run.hpp"
#include "support/counting.hpp"
#include "support/planned_task.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::ring_size;

constexpr std::size_t columns = 1'500;

/// Sleeps for a moment in each row, so that it can be caught at work.
struct slow_counting : test::counting_margins {
  static constexpr std::string_view name = "slow_counting";
  float derivative(float margin, float label) const {
    std::this_thread::sleep_for(20us);
    return test::counting_margins::derivative(margin, label);
  }
};

template <class Model>
test::planned_task ring_task_of(const Model& m, const sparse_view& data, const ring_size& size, std::uint64_t rows) {
  test::planned_task work =
      make_task(m, data, label_map{}, {.update = update_kind::exact, .isa = choose_isa(isa::automatic)});
  work.set_sharing(access_kind::buffered,
                   {.rows = rows, .workers = size.workers, .replicas = static_cast<std::uint32_t>(size.replicas)});
  return work;
}

struct counted_on_a_ring : testing::TestWithParam<ring_size> {
  const ring_size size = GetParam();
  const test::toy_rows toy = test::countable_rows(3'000, columns);
  const csr_rows data = toy.csr();

  template <class Model>
  void expect_all_counted(const Model& m) const {
    constexpr std::size_t epochs = 4;
    const auto work = ring_task_of(m, data.view(), size, 8);
    const auto processes = start(size.engine(), *work, work.plan, {});
    processes->get_ready();
    round_driver rounds(*work, work.plan, *processes);
    for (std::size_t e = 1; e <= epochs; ++e) rounds.train_epoch(e, 1.0);
    EXPECT_EQ(work->parameters_of(processes->store(), rounds.scale()), test::counts_after(toy, epochs));
    EXPECT_EQ(processes->rows_lost(), 0u);
    std::uint64_t exchanges = 0;
    for (std::size_t v = 0; v < size.replicas; ++v) exchanges += test::ring_exchanges(processes->store(), size, v);
    EXPECT_GT(exchanges, 0u);
  }
};

TEST_P(counted_on_a_ring, no_add_of_a_margin_model_is_lost) {
  expect_all_counted(test::counting_margins{});
}
TEST_P(counted_on_a_ring, no_add_of_a_general_model_is_lost) {
  expect_all_counted(test::counting_columns{columns});
}

/// A busy machine may let many epochs go by before it lets the thread run that stops or kills workers.
constexpr std::size_t least_epochs = 12, most_epochs = 240;

TEST_P(counted_on_a_ring, none_is_lost_or_doubled_where_workers_are_stopped_for_moments) {
  const auto work = ring_task_of(slow_counting{}, data.view(), size, 2);
  const auto processes = start(size.engine(), *work, work.plan, {});
  processes->get_ready();
  // No worker is left out: none is stopped for longer than a small part of a second. But the token is taken over from
  // stopped holders, which find it dead when they wake.
  std::atomic<std::size_t> stops = 0;
  std::chrono::nanoseconds longest{0};
  std::jthread interrupter([&](const std::stop_token& end) {
    std::mt19937 random(11);
    std::uniform_int_distribution<int> moment(0, 6000);
    while (!end.stop_requested()) {
      const auto begin = std::chrono::steady_clock::now();
      const pid_t pid = test::send(processes->store().slots()[random() % size.workers], SIGSTOP);
      std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
      if (pid > 0) stops += ::kill(pid, SIGCONT) == 0;
      longest = std::max(longest, std::chrono::steady_clock::now() - begin);
    }
  });
  const auto taken_over = [&] {
    std::uint64_t sum = 0;
    for (const worker_slot& slot : processes->store().slots()) sum += slot.ring_taken_over.get();
    return sum;
  };
  round_driver rounds(*work, work.plan, *processes);
  std::size_t epochs = 0;
  while (epochs < least_epochs || (epochs < most_epochs && (stops <= 20 || taken_over() == 0)))
    rounds.train_epoch(++epochs, 1.0);
  interrupter.request_stop();
  interrupter.join();
  RecordProperty("stops", std::to_string(stops));
  RecordProperty("taken_over", std::to_string(taken_over()));
  if (longest > stall_watch::timeout / 2) GTEST_SKIP() << "the machine was so busy that a stop was no moment";
  EXPECT_GT(stops, 20u);
  EXPECT_GT(taken_over(), 0u);
  EXPECT_EQ(work->parameters_of(processes->store(), rounds.scale()), test::counts_after(toy, epochs));
  EXPECT_EQ(processes->rows_lost(), 0u);
}

/// How often each column occurs in the chunk that has it most often: so many adds may be counted twice if a chunk is
/// drawn again.
std::vector<float> most_in_a_chunk(const test::toy_rows& toy, const chunk_plan& chunks) {
  std::vector<float> most(toy.columns);
  for (std::size_t c = 0; c < chunks.count(); ++c) {
    const chunk rows = chunks[c];
    std::vector<float> n(toy.columns);
    for (std::size_t k = 2 * rows.first; k < 2 * rows.last; ++k) ++n[toy.index[k]];
    for (std::size_t j = 0; j < n.size(); ++j) most[j] = std::max(most[j], n[j]);
  }
  return most;
}

TEST_P(counted_on_a_ring, who_is_killed_takes_along_what_it_had_not_sent_and_no_more) {
  const auto work = ring_task_of(slow_counting{}, data.view(), size, 8);
  const auto processes = start(size.engine(), *work, work.plan, {});
  processes->get_ready();
  const param_store& store = processes->store();
  std::size_t killed = 0;
  std::atomic<std::uint64_t> unsent = 0;
  std::jthread death([&](const std::stop_token& end) {
    std::mt19937 random(13);
    // One an epoch, at a random moment in it.
    for (std::uint32_t epoch = 0; !end.stop_requested() && killed < least_epochs - 1;) {
      eventually(60s, [&] { return store.control().round.epoch > epoch || end.stop_requested(); });
      epoch = store.control().round.epoch;
      worker_slot& slot = store.slots()[random() % size.workers];
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
      eventually(1s, [&] { return slot.unsent.get() > 0 || end.stop_requested(); });
      const pid_t pid = slot.pid.load();
      const auto lost = test::kill_standing_still(slot);
      if (!lost) continue;
      unsent += *lost;
      ++killed;
      eventually(60s, [&] { return slot.pid.load() != pid || end.stop_requested(); });
    }
  });
  round_driver rounds(*work, work.plan, *processes);
  std::size_t epochs = 0;
  while (epochs < least_epochs || (epochs < most_epochs && unsent == 0)) rounds.train_epoch(++epochs, 1.0);
  death.request_stop();
  death.join();
  EXPECT_GT(killed, 0u);
  EXPECT_GT(processes->rows_lost(), 0u);
  EXPECT_EQ(processes->rows_lost(), unsent);

  // A row adds 1 to two columns. An unfinished chunk is drawn again, so its sent part counts twice. A worker killed in
  // the middle of an exchange may leave the others' gains of this epoch in one block of its replica's columns, as if
  // they were the replica's own.
  const auto w = work->parameters_of(store, rounds.scale()), once = test::counts_after(toy, 1);
  const auto again = most_in_a_chunk(toy, work.plan.chunks);
  double missing = 0.0, above = 0.0;
  std::size_t too_many = 0, broken = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    const float expected = static_cast<float>(epochs) * once[j];
    missing += std::max(expected - w[j], 0.0f);
    above += std::max(w[j] - expected, 0.0f);
    too_many += w[j] > expected + static_cast<float>(killed) * (again[j] + once[j]);
    broken += w[j] != std::floor(w[j]);
  }
  EXPECT_EQ(too_many, 0u);
  EXPECT_EQ(broken, 0u);
  EXPECT_LE(missing, 2.0 * static_cast<double>(processes->rows_lost()));
  RecordProperty("killed", std::to_string(killed));
  RecordProperty("rows_lost", std::to_string(processes->rows_lost()));
  RecordProperty("missing", std::to_string(missing));
  RecordProperty("above", std::to_string(above));
}

INSTANTIATE_TEST_SUITE_P(two_and_four, counted_on_a_ring,
                         testing::Values(ring_size{2, 2}, ring_size{2, 4}, ring_size{4, 4}), test::ring_size_name);

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role ring_counted_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild;
  return test::ring_role<test::counting_margins, test::counting_columns, slow_counting>(argc, argv);
});
