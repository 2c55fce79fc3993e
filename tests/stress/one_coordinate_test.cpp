// SPDX-License-Identifier: Apache-2.0
// All workers on one coordinate: the worst case of every update policy.
#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include <hogwild/detail/data/sampler.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/train.hpp>

#include "support/planned_task.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

/// Adds 1 to the one parameter with every row, whatever it is: with a step of 1 the parameter counts the adds.
struct count_all {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t dim() const { return 1; }
  double loss(const auto&, const example_type&) const { return 0.0; }
  void gradient(const auto&, const example_type&, const auto& emit) const { emit(0, -1.0f); }
};

/// Rows of one column and value 1, half of the labels 0 and half 2: the best weight is 1 and the least mean loss 1/2.
/// The order is random: workers in step with each other lose every other add, which must not be all of one label.
test::toy_rows one_column(std::size_t rows) {
  test::toy_rows data;
  data.columns = 1;
  const feistel_permutation mixed(rows, 1, 0);
  for (std::size_t r = 0; r < rows; ++r) data.push({0}, {1.0f}, mixed(r) % 2 == 0 ? 0.0f : 2.0f);
  return data;
}

struct one_coordinate : testing::TestWithParam<std::tuple<update_kind, std::size_t>> {
  const update_kind update = std::get<0>(GetParam());
  const std::size_t workers = std::get<1>(GetParam());
  const thread_engine engine{.workers = workers, .team = thread_team_kind::std, .pin = false};
};

TEST_P(one_coordinate, adds_are_conserved_unless_lossy_and_never_invented) {
  constexpr std::size_t rows = test::thread_sanitized ? 1'000 : 5'000, epochs = 20;  // 100,000 ones are exact in float
  const auto toy = one_column(rows);
  const csr_rows data = toy.csr();
  const test::planned_task work = make_task(count_all{}, data.view(), label_map{}, {.update = update});
  const auto started = start(engine, *work, work.plan, {});
  round_driver rounds(*work, work.plan, *started);
  for (std::size_t e = 1; e <= epochs; ++e) rounds.train_epoch(e, 1.0);
  const float sum = started->store().parameters<float>()[0];
  if (update == update_kind::lossy) {
    // A stored value is a value that was read plus one, so it is whole and counts no add twice; how many are lost
    // depends on the machine, but the last add of each epoch's last worker stays.
    EXPECT_EQ(sum, std::floor(sum));
    EXPECT_GE(sum, 1.0f);
    EXPECT_LE(sum, static_cast<float>(rows * epochs));
  } else {
    EXPECT_EQ(sum, static_cast<float>(rows * epochs));
  }
}

TEST_P(one_coordinate, ends_near_the_optimum) {
  const auto toy = one_column(4'000);
  const auto run = train(least_squares{}, toy.csr(), engine,
                         {.epochs = 25,
                          .step = {.initial = 0.05, .decay = 0.75},
                          .l2 = 0.0,
                          .update = update,
                          .sharing = sharing_kind::direct});
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_EQ(run.examples, 25u * 4'000u);
  // The timing, not the labels, decides which adds are lost or stale, and a stored value is always an earlier value
  // plus one add. So the weight is 1 plus kept errors of +-step that decay at the rate of the step: deviation sqrt(step
  // / 2). Even if the last five epochs were lost as a whole (step 2.1e-4) that is 0.011; the band of 0.006 in the
  // objective is |w - 1| < 0.11, ten deviations: P < 1e-22.
  EXPECT_NEAR(run.objective, 0.5, 0.006);
  EXPECT_GE(run.objective, 0.5 - 1e-6);
}

INSTANTIATE_TEST_SUITE_P(every, one_coordinate,
                         testing::Combine(testing::Values(update_kind::lossy, update_kind::exact, update_kind::locked,
                                                          update_kind::edge_locked, update_kind::ordered),
                                          testing::Values(2u, 4u, 8u)));

}  // namespace
