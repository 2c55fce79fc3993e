// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/divergence_guard.hpp>

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "support/heard_run.hpp"
#include "support/planned_task.hpp"
#include "support/ridge.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

const thread_engine four{.workers = 4, .team = thread_team_kind::std, .pin = false};

/// Least squares whose first four workers wait for each other in their first row: then all of them have fetched the
/// same parameters, and each finds the whole way to the optimum by itself, however they are scheduled.
template <int test>
struct started_together : least_squares {
  static constexpr std::string_view name = "started_together";
  static inline std::atomic<int> arrived{0};
  float derivative(float margin, float label) const {
    thread_local bool met = false;
    if (!std::exchange(met, true)) {
      ++arrived;
      while (arrived.load() < 4) std::this_thread::yield();
    }
    return least_squares::derivative(margin, label);
  }
};

/// Rows whose first column is the same large value: the steepest direction by far, and workers all follow it.
test::toy_rows steep_rows() {
  const auto planted = test::planted_regression({.rows = 2'000, .columns = 20}, 0.1);
  test::toy_rows toy;
  toy.columns = 21;
  for (std::size_t r = 0; r < planted.rows(); ++r) {
    std::vector<std::uint32_t> index{0};
    std::vector<float> value{3.0f};
    for (std::size_t k = planted.row_start[r]; k < planted.row_start[r + 1]; ++k) {
      index.push_back(planted.index[k] + 1);
      value.push_back(planted.value[k]);
    }
    toy.push(index, value, planted.label[r] + 6.0f);
  }
  return toy;
}

/// A task that was told that its curvature is 1e-4, where it is 9.4: with 4 workers summed gains are stable up to z =
/// 0.69, which is 3 rows between exchanges at a step of 0.02. Its workers exchange every 256 rows: together they jump 4
/// times as far as the optimum lies, and the loss is 9 times what it was.
template <int test>
test::planned_task misled(const csr_rows& data, double l2) {
  test::planned_task work =
      make_task(started_together<test>{}, data.view(), label_map{}, {.isa = choose_isa(isa::automatic), .l2 = l2});
  work.set_sharing(access_kind::buffered, {.rows = 256, .curvature = 1e-4, .workers = 4});
  return work;
}

/// A task of two workers. If only one of them comes, it makes no difference how often it exchanges.
template <class M>
test::planned_task of_two(const M& m, const test::kept_rows& data) {
  test::planned_task work = make_task(m, data.view(), label_map::learn(label_kind::binary, data.view().label, "data"),
                                      {.isa = choose_isa(isa::automatic)});
  work.set_sharing(access_kind::buffered, {.rows = 16, .curvature = 1e-6, .workers = 2});
  return work;
}
const thread_engine one{.workers = 1, .team = thread_team_kind::std, .pin = false};

TEST(divergence_guard, turns_back_a_run_whose_curvature_was_underestimated) {
  const test::kept_rows data = steep_rows();
  constexpr double l2 = 0.01, step = 0.02;
  test::heard_run heard;
  resolved_run run{.options = {.epochs = 30, .l2 = l2, .observers = {&heard}},
                   .schedule = {schedule_kind::geometric, step, 0.85},
                   .l2 = l2};
  const auto work = misled<0>(data, l2);
  const auto started = start(four, *work, work.plan, {});
  const train_result result = work.train(*started, run);
  EXPECT_EQ(result.status, run_status::done);
  EXPECT_EQ(result.epochs, 30u);
  ASSERT_FALSE(heard.notes.empty());
  EXPECT_NE(heard.notes[0].find("summed changes overshot in epoch 1; it is trained again with an exchange every 128"),
            std::string::npos)
      << heard.notes[0];
  // Each epoch that was turned back was trained twice, and reported once.
  EXPECT_EQ(result.examples, (30 + heard.notes.size()) * data.rows());
  ASSERT_EQ(heard.epochs.size(), 30u);
  for (std::size_t e = 0; e < 30; ++e) EXPECT_EQ(heard.epochs[e].epoch, e + 1);
  const double best = test::ridge_optimum(data, l2);
  EXPECT_LE(result.objective, 1.02 * best);
  EXPECT_GE(result.objective, best * (1.0 - 1e-5));
}

// Random labels: a step learns noise, so the objective rises a little already in the first epoch, which no exchange
// would mend. The run is reproducible, since with free threads the scheduler decides how much: beside three others on
// two CPUs one run in twenty rose far enough to be trained again.
TEST(divergence_guard, does_not_take_the_noise_of_steps_for_gains_that_overshoot) {
  const test::toy_rows toy = test::planted_classification({.rows = 6'000, .columns = 20}, 0.5);
  test::heard_run heard;
  const train_result run = train(logistic{}, toy.csr(), thread_engine{.workers = 2, .team = thread_team_kind::std},
                                 {.epochs = 3,
                                  .step = {.initial = 0.1, .decay = 1.0},
                                  .reproducible = true,
                                  .virtual_workers = 2,
                                  .observers = {&heard}});
  EXPECT_GT(run.objective, std::log(2.0)) << "nothing rises here, so that nothing is shown";
  for (const std::string& note : heard.notes) EXPECT_EQ(note.find("trained again"), std::string::npos) << note;
}

TEST(divergence_guard, lets_workers_exchange_as_they_began_where_the_step_is_what_overshoots) {
  const test::kept_rows data = test::planted_classification({.rows = 500, .columns = 30});
  const test::planned_task work = of_two(logistic{}, data);
  const auto started = start(one, *work, work.plan, {});
  test::heard_run heard;
  resolved_run run{.options = {.epochs = 3, .observers = {&heard}}, .schedule = {schedule_kind::constant, 1000.0, 0.0}};
  EXPECT_EQ(work.train(*started, run).status, run_status::diverged);
  EXPECT_EQ(started->store().control().round.exchange_rows, 16u);
  ASSERT_EQ(heard.notes.size(), 6u);  // 8, 4, 2 and 1 rows did not help
  EXPECT_NE(heard.notes[4].find("the step 1000 is too large even for one worker"), std::string::npos) << heard.notes[4];
  EXPECT_EQ(heard.notes[5].find("the run ends worse than it began"), 0u) << heard.notes[5];
  EXPECT_EQ(heard.epochs.size(), 3u);
}

/// One row in its third epoch of 500 moves the weights far away.
struct bursting : logistic {
  static constexpr std::string_view name = "bursting";
  static inline std::atomic<int> rows{0};
  float derivative(float margin, float label) const {
    return ++rows == 1250 ? 1e6f : logistic::derivative(margin, label);
  }
};

TEST(divergence_guard, goes_back_to_the_last_epoch_that_was_measured) {
  const test::kept_rows data = test::planted_classification({.rows = 500, .columns = 30});
  const test::planned_task work = of_two(bursting{}, data);
  const auto started = start(one, *work, work.plan, {});
  test::heard_run heard;
  resolved_run run{.options = {.epochs = 10, .measure_every = 8, .observers = {&heard}},
                   .schedule = {schedule_kind::constant, 0.1, 0.0}};
  const train_result result = work.train(*started, run);
  EXPECT_EQ(result.status, run_status::done);
  ASSERT_EQ(heard.notes.size(), 1u);
  EXPECT_NE(heard.notes[0].find("in epochs 3 to 4; they are trained again"), std::string::npos) << heard.notes[0];
  EXPECT_EQ(result.examples, 12u * 500u);
  EXPECT_EQ(heard.each(&epoch_report::epoch), (std::vector<std::size_t>{1, 2, 4, 8, 10}));
  EXPECT_LT(result.train_loss, std::log(2.0));
}

TEST(divergence_guard, what_it_learned_is_known_to_a_run_that_is_resumed) {
  const test::kept_rows data = steep_rows();
  const test::scratch_folder folder;
  const std::string file = folder / "run.ckpt";
  constexpr double l2 = 0.01;
  const auto exchange_of = [&](train_options options) {
    options.l2 = l2;
    resolved_run run{.options = options, .schedule = {schedule_kind::geometric, 0.02, 0.85}, .l2 = l2};
    if (!options.resume.empty())
      run.resumed = std::make_shared<const resumed_checkpoint>(resume_of_rank(options.resume, agreement(nullptr)));
    const auto work = misled<1>(data, l2);
    const auto started = start(four, *work, work.plan, {});
    EXPECT_EQ(work.train(*started, run).status, run_status::done);
    return started->store().control().round.exchange_rows;
  };
  const std::uint32_t learned = exchange_of({.epochs = 2, .checkpoint = file});
  EXPECT_LE(learned, 128u);
  EXPECT_LE(exchange_of({.epochs = 3, .resume = file}), learned);
}

struct restored : testing::Test {
  test::toy_rows toy = test::planted_classification({.rows = 500, .columns = 30});
  csr_rows data = toy.csr();
  std::vector<std::uint32_t> degree = count_columns(data.view());

  test::planned_task work_with(optimizer_kind optimizer, const exchange_options& exchange) const {
    sparse_view rows = data.view();
    rows.degree = degree;
    test::planned_task work =
        make_task(logistic{}, rows, label_map::learn(label_kind::binary, rows.label, "toy"),
                  {.optimizer = optimizer, .bias = 1, .isa = choose_isa(isa::automatic), .l2 = 0.01});
    work.set_sharing(access_kind::buffered, exchange);
    return work;
  }
  template <class T>
  static std::vector<T> copy(std::span<T> values) {
    return {values.begin(), values.end()};
  }
};

TEST_F(restored, parameters_state_and_scale_are_what_they_were) {
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const auto work = work_with(optimizer, {.rows = 64, .curvature = 0.01, .workers = 4});
    const auto started = start(four, *work, work.plan, {});
    round_driver rounds(*work, work.plan, *started);
    rounds.train_epoch(1, 0.1);
    const param_store& store = started->store();
    const auto w = copy(store.parameters<float>());
    const double scale = rounds.scale();
    const std::size_t arrays = store.shape().state_arrays;
    EXPECT_EQ(arrays, optimizer == optimizer_kind::adagrad ? 1u : 0u);
    const auto state = arrays > 0 ? copy(store.state<float>(0)) : std::vector<float>();

    divergence_guard guard(store, rounds);
    rounds.train_epoch(2, 0.1);
    EXPECT_NE(copy(store.parameters<float>()), w);
    EXPECT_EQ(rounds.exchanged_after(0.1), 64u);
    EXPECT_TRUE(guard.turn_back(0.1));
    EXPECT_EQ(copy(store.parameters<float>()), w);
    if (arrays > 0) {
      EXPECT_EQ(copy(store.state<float>(0)), state);
    }
    EXPECT_EQ(rounds.scale(), scale);
    EXPECT_EQ(rounds.exchanged_after(0.1), 32u);
  }
}

TEST_F(restored, nothing_where_replicas_exchange_after_each_row_already) {
  const auto work = work_with(optimizer_kind::sgd, {.rows = 2, .curvature = 0.01, .workers = 4});
  const auto started = start(four, *work, work.plan, {});
  round_driver rounds(*work, work.plan, *started);
  divergence_guard first(started->store(), rounds);
  EXPECT_TRUE(first.turn_back(0.1));
  EXPECT_EQ(rounds.exchanged_after(0.1), 1u);
  rounds.train_epoch(1, 0.1);
  const auto w = copy(started->store().parameters<float>());
  divergence_guard second(started->store(), rounds);
  EXPECT_FALSE(second.turn_back(0.1));
  EXPECT_EQ(copy(started->store().parameters<float>()), w);
  EXPECT_EQ(rounds.exchanged_after(0.1), 1u);
}

TEST_F(restored, nothing_where_one_worker_is_alone) {
  const auto work = work_with(optimizer_kind::sgd, {});
  const auto started = start(serial_engine{}, *work, work.plan, {});
  round_driver rounds(*work, work.plan, *started);
  divergence_guard guard(started->store(), rounds);
  rounds.train_epoch(1, 0.1);
  const auto w = copy(started->store().parameters<float>());
  EXPECT_FALSE(guard.turn_back(0.1));
  EXPECT_EQ(copy(started->store().parameters<float>()), w);
}

}  // namespace
