// SPDX-License-Identifier: Apache-2.0
// A slow worker is not taken for a stopped one: the run waits for a worker that computes for seconds without finishing
// a row.
#include <ctime>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/least_squares.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

constexpr float laborious_label = 777.0f;

/// Takes two and a half seconds of CPU time for a row with one label, and reports nothing meanwhile.
struct laborious : least_squares {
  static constexpr std::string_view name = "laborious";
  float derivative(float margin, float label) const {
    if (label != laborious_label) return least_squares::derivative(margin, label);
    for (const double end = cpu_seconds() + 2.5; cpu_seconds() < end;) {
    }
    return 0.0f;
  }
  static double cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
};

/// The same on a thread that it starts, as libraries do; the training thread sleeps meanwhile.
struct delegating : laborious {
  static constexpr std::string_view name = "delegating";
  float derivative(float margin, float label) const {
    float result = 0.0f;
    if (label != laborious_label) return least_squares::derivative(margin, label);
    std::jthread([&] { result = laborious::derivative(margin, label); }).join();
    return result;
  }
};

template <class Model>
void expect_to_be_waited_for(bool reproducible) {
  test::toy_rows rows = test::planted_regression({.rows = 300});
  rows.label[200] = laborious_label;
  test::witness seen(Model::name);
  const train_result run = train(Model{}, rows.csr(), process_engine{.workers = 2},
                                 {.epochs = 1,
                                  .step = {.initial = 0.01, .decay = 1.0},
                                  .sharing = reproducible ? sharing_kind::automatic : sharing_kind::direct,
                                  .reproducible = reproducible,
                                  .virtual_workers = reproducible ? std::optional<std::size_t>(4) : std::nullopt,
                                  .observers = {&seen}});
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_EQ(run.workers_replaced, 0u);
  EXPECT_EQ(run.examples, rows.rows());  // nothing was trained again
  EXPECT_THAT(seen.notes(), Each(Not(HasSubstr("no progress"))));
}

struct slow_workers : testing::TestWithParam<bool> {};

TEST_P(slow_workers, are_waited_for) {
  expect_to_be_waited_for<laborious>(GetParam());
}

TEST_P(slow_workers, whose_helpers_compute_are_waited_for) {
  expect_to_be_waited_for<delegating>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(of, slow_workers, testing::Values(false, true),
                         [](const auto& kind) { return kind.param ? "reproducible_runs" : "shared_arrays"; });

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role slow_workers_role(
    hogwild::test::worker_role<hogwild::laborious, hogwild::delegating>);
