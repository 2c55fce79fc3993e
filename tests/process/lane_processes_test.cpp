// SPDX-License-Identifier: Apache-2.0
// Models side by side, trained by worker processes: as by threads, also where some are killed.
#include <cmath>
#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/several_models.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

/// Sleeps now and then, so that a worker can be caught at work on a row.
struct drowsy_logistic : logistic {
  static constexpr std::string_view name = "drowsy_logistic";
  float derivative(float margin, float label) const {
    thread_local unsigned calls = 0;
    if (++calls % 128 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    return logistic::derivative(margin, label);
  }
};

constexpr std::size_t lanes = 8;

struct lane_processes : testing::Test {
  template <class M, class Engine>
  lane_run start(const M& m, const sparse_view& data, const Engine& engine) {
    made.push_back(std::make_unique<prepared_task>(prepare(m, data, options)));
    const prepared_task& one = *made.back();
    return {{std::shared_ptr<const void>(), one.task.get()},
            one.data.options(),
            lanes,
            0.2,
            std::make_unique<engine_of<Engine>>(engine),
            nullptr,
            [this](std::string_view sentence) { notes.emplace_back(sentence); }};
  }
  void place_all(lane_run& run) const {
    for (std::size_t k = 0; k < lanes; ++k) run.place(k, {.l1 = l1, .l2 = l2[k]});
  }
  std::vector<measurement> trained(lane_run& run, std::size_t passes = 10) const {
    place_all(run);
    for (std::size_t pass = 1; pass <= passes; ++pass) run.train(pass, steps);
    return run.measure(rows.view(), lane_task::rows_of_lane::all, false);
  }
  std::vector<std::vector<float>> parameters_of(const lane_run& run) const {
    std::vector<std::vector<float>> all;
    for (std::size_t k = 0; k < lanes; ++k) all.push_back(run.parameters(k));
    return all;
  }
  template <class Engine>
  void expect_as_well(const Engine& engine, double factor = 1.05) {
    lane_run serial = start(logistic{}, rows.view(), serial_engine{});
    const auto expected = trained(serial);
    lane_run run = start(logistic{}, rows.view(), engine);
    const auto measured = trained(run);
    for (std::size_t k = 0; k < lanes; ++k)
      EXPECT_LT(measured[k].loss, factor * expected[k].loss + 0.01) << "lane " << k;
  }
  /// The parameters of each after three passes.
  template <class Engine, class M = logistic>
  std::vector<std::vector<float>> bits_of(const Engine& engine, const M& m = {}) {
    lane_run run = start(m, rows.view(), engine);
    trained(run, 3);
    return parameters_of(run);
  }

  test::toy_rows toy = test::planted_classification({.rows = 700, .columns = 300, .per_row = 13});
  csr_rows rows = toy.csr();
  std::vector<double> steps{0.05, 0.1, 0.2, 0.01, 0.05, 0.1, 0.2, 0.01},
      l2{0.0, 1e-3, 1e-4, 1e-2, 1e-5, 0.0, 1e-3, 1e-6};
  double l1 = 0.0;
  train_options options{.batch = 1};
  std::vector<std::unique_ptr<prepared_task>> made;
  std::vector<std::string> notes;
};

TEST_F(lane_processes, end_as_well_as_the_serial_engine_in_every_way_of_sharing) {
  for (const double strength : {0.0, 1e-4}) {
    l1 = options.l1 = strength;
    for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct, sharing_kind::buffered}) {
      options.sharing = sharing;
      expect_as_well(process_engine{.workers = 2});
    }
  }
  EXPECT_TRUE(test::leftovers().empty());
}

TEST_F(lane_processes, repeat_to_the_bit_by_any_number_of_them) {
  options.reproducible = true, options.virtual_workers = 3;
  for (const double strength : {0.0, 1e-4}) {
    l1 = options.l1 = strength;
    const auto expected = bits_of(thread_engine{.workers = 1, .team = thread_team_kind::std, .pin = false});
    for (const std::size_t workers : {1u, 2u, 3u})
      EXPECT_EQ(bits_of(process_engine{.workers = workers}), expected) << workers << " processes";
  }
}

TEST_F(lane_processes, of_factors_repeat_to_the_bit_by_any_number_of_them) {
  options.reproducible = true, options.virtual_workers = 3;
  const factorization_machine machine{.features = 300, .factors = 4};
  for (const optimizer_kind by : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    options.optimizer = by;
    const thread_engine thread{.workers = 1, .team = thread_team_kind::std, .pin = false};
    const auto expected = bits_of(thread, machine);
    for (const std::size_t workers : {1u, 2u}) {
      EXPECT_EQ(bits_of(process_engine{.workers = workers}, machine), expected) << workers << " processes";
    }
  }
}

TEST_F(lane_processes, in_lockstep_have_the_bits_of_threads) {
  for (const sync_rule rule : {sync_rule::gradients, sync_rule::average}) {
    const sync_engine threads{.workers = 2, .rule = rule, .pin = false};
    sync_engine processes = threads;
    processes.transport = transport_kind::shared_segment;
    EXPECT_EQ(bits_of(processes), bits_of(threads));
  }
}

TEST_F(lane_processes, on_a_ring_end_as_well) {
  const ring_engine two{.workers = 2, .replicas = 2, .transport = transport_kind::shared_segment, .pin = false};
  expect_as_well(two, 1.1);
}

TEST_F(lane_processes, are_dropped_and_refilled_and_the_others_do_not_notice) {
  options.reproducible = true, options.virtual_workers = 2;  // so that the others can be compared
  l2[4] = 0.0;
  const process_engine two{.workers = 2};
  lane_run undisturbed = start(logistic{}, rows.view(), two), run = start(logistic{}, rows.view(), two);
  place_all(undisturbed);
  place_all(run);
  std::vector<double> wild = steps;
  wild[4] = 1e30;  // diverges
  for (std::size_t pass = 1; pass <= 3; ++pass) {
    undisturbed.train(pass, steps);
    run.train(pass, pass == 2 ? wild : steps);
    if (pass == 1) run.clear(2);
    if (pass == 2) run.place(4, {.l2 = l2[4]}), run.place(2, {.l2 = l2[2]});
  }
  for (const std::size_t k : {0u, 1u, 3u, 5u, 6u, 7u}) EXPECT_EQ(run.parameters(k), undisturbed.parameters(k));
  const auto measured = run.measure(rows.view(), lane_task::rows_of_lane::all, false);
  for (const std::size_t k : {2u, 4u}) EXPECT_LT(measured[k].loss, std::log(2.0));
}

// A copy of rows begins at row 0, although the run's own rows stand behind those that it holds back.
TEST_F(lane_processes, count_rows_as_a_bootstrap_does_by_their_place_in_the_dataset) {
  const sparse_view part = rows.view().slice(200, 700);
  const auto train_bootstraps = [&](lane_run run) {
    for (std::size_t k = 0; k < lanes; ++k) run.place(k, {.l2 = l2[k], .rows = {.bootstrap = 1 + k}});
    run.train(1, steps);
    return parameters_of(run);
  };
  EXPECT_EQ(train_bootstraps(start(logistic{}, part, process_engine{.workers = 1})),
            train_bootstraps(start(logistic{}, part, serial_engine{})));
}

/// Kills the worker in one of two slots in the middle of a chunk, so many times.
std::jthread kill_at_work(const param_store& run, int times) {
  return std::jthread([&run, times](const std::stop_token& stop) {
    for (int killed = 0; killed < times && !stop.stop_requested();) {
      const worker_slot& victim = run.slots()[static_cast<std::size_t>(killed) % 2];
      const pid_t pid = victim.pid.load();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      if (victim.held.get() == 0 || pid <= 0 || ::kill(pid, SIGKILL) != 0) continue;
      ++killed;
      while (victim.pid.load() == pid && !stop.stop_requested()) std::this_thread::yield();
    }
  });
}

// One shrinks so far that its weights are folded in the middle of a pass: rows that are trained again must be weighed
// as their part of the pass is.
TEST_F(lane_processes, that_are_killed_are_replaced_and_no_model_is_lost) {
  l2[3] = 10.0;
  for (const bool reproducible : {false, true}) {
    options.reproducible = reproducible;
    options.sharing = reproducible ? sharing_kind::automatic : sharing_kind::buffered;  // so that both workers train
    lane_run run = start(drowsy_logistic{}, rows.view(), process_engine{.workers = 2});
    place_all(run);
    std::size_t passes = 0;
    {
      const std::jthread death = kill_at_work(run.workers().store(), 6);
      // A busy machine may let whole passes go by before it lets the thread that kills run.
      while (passes < 12 || (passes < 1000 && run.workers().replaced() < 2)) run.train(++passes, steps);
    }
    const auto measured = run.measure(rows.view(), lane_task::rows_of_lane::all, false);
    lane_run serial = start(logistic{}, rows.view(), serial_engine{});
    const auto expected = trained(serial, passes);
    EXPECT_GE(run.workers().replaced(), 2u);
    EXPECT_THAT(notes, testing::Contains(testing::HasSubstr("another one takes its place")));
    for (std::size_t k = 0; k < lanes; ++k)
      EXPECT_NEAR(measured[k].loss, expected[k].loss, 0.05 * expected[k].loss + 0.01) << "lane " << k;
  }
}

TEST_F(lane_processes, of_several_classes_end_as_well) {
  const test::toy_rows planted = test::planted_classes({.rows = 700, .columns = 300, .per_row = 13}, 3);
  rows = planted.csr();
  for (double& step : steps) step *= 0.1;  // with these one worker's loss falls from pass to pass
  const softmax three{.features = 300, .classes = 3, .bias = true};
  lane_run serial = start(three, rows.view(), serial_engine{});
  const auto expected = trained(serial);
  const auto expect_as_well_by = [&](const auto& engine, double factor) {
    lane_run run = start(three, rows.view(), engine);
    const auto measured = trained(run);
    for (std::size_t k = 0; k < lanes; ++k)
      EXPECT_LT(measured[k].loss, factor * expected[k].loss + 0.01) << "lane " << k;
  };
  expect_as_well_by(process_engine{.workers = 2}, 1.05);
  expect_as_well_by(ring_engine{.workers = 2, .replicas = 2, .transport = transport_kind::shared_segment, .pin = false},
                    1.1);
  lane_run killed = start(three, rows.view(), process_engine{.workers = 2});
  std::vector<measurement> measured;
  {
    const std::jthread death = kill_at_work(killed.workers().store(), 2);
    measured = trained(killed, 40);
  }
  for (std::size_t k = 0; k < lanes; ++k) EXPECT_LT(measured[k].loss, 1.05 * expected[k].loss + 0.01) << "lane " << k;
}

TEST_F(lane_processes, make_ensembles_and_classes) {
  options.epochs = 5;
  options.sharing = sharing_kind::buffered;  // otherwise one of two workers may be enough
  const ensemble_options nine{.models = 9};
  const double serial = train_ensemble(logistic{}, rows.view(), serial_engine{}, nine, options).train_loss;
  const train_result run = train_ensemble(logistic{}, rows.view(), process_engine{.workers = 2}, nine, options);
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_LT(run.train_loss, 1.05 * serial);
  EXPECT_EQ(run.workers, 2u);
  for (std::size_t r = 0; r < toy.label.size(); ++r)
    toy.label[r] = toy.label[r] > 0.0f ? 2.0f : static_cast<float>(r % 2);
  const csr_rows three = toy.csr();
  const train_result against = train_one_vs_rest(logistic{}, three.view(), process_engine{.workers = 2}, options);
  EXPECT_LT(against.train_loss,
            1.05 * train_one_vs_rest(logistic{}, three.view(), serial_engine{}, options).train_loss);
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role lane_processes_role(
    hogwild::test::worker_role<hogwild::drowsy_logistic, hogwild::factorization_machine, hogwild::logistic,
                               hogwild::softmax>);
