// SPDX-License-Identifier: Apache-2.0
// More workers than CPUs, and epochs so short that gates take most of the time.
#include <atomic>
#include <cmath>
#include <stop_token>
#include <string_view>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/eventually.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t many = test::thread_sanitized ? 50 : 150;

/// Update and sharing go together: locks are for one shared array.
struct discipline {
  update_kind update;
  sharing_kind sharing;
};

/// How often an epoch of replicas overshot and was trained again.
struct second_tries : observer {
  void on_note(std::string_view sentence) override { count += sentence.find("is trained again") != sentence.npos; }
  std::size_t count = 0;
};

struct many_epochs : testing::TestWithParam<std::tuple<discipline, sharding, std::size_t>> {
  const thread_engine engine{.workers = std::get<2>(GetParam()), .team = thread_team_kind::std, .pin = false};
  train_options options(std::size_t epochs) const {
    return {.epochs = epochs,
            .step = {.initial = 0.1, .decay = 1.0},
            .l2 = 1e-3,
            .update = std::get<0>(GetParam()).update,
            .sharing = std::get<0>(GetParam()).sharing,
            .shards = std::get<1>(GetParam())};
  }
};

TEST_P(many_epochs, every_row_is_trained_in_every_epoch) {
  const auto toy = test::planted_classification({.rows = 100, .columns = 20});
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    auto o = options(many);
    o.optimizer = optimizer;
    o.bias = true;
    second_tries again;
    o.observers = {&again};
    const auto run = train(hinge_svm{}, toy.csr(), engine, o);
    EXPECT_EQ(run.status, run_status::done);
    EXPECT_EQ(run.epochs, many);
    EXPECT_EQ(run.examples, (many + again.count) * 100);
    EXPECT_EQ(run.nonzeros, (many + again.count) * 500);
    EXPECT_TRUE(std::isfinite(run.objective));
  }
}

TEST_P(many_epochs, a_general_model_and_every_order_come_through) {
  const auto toy = test::planted_classes({.rows = 200, .columns = 20}, 3);
  for (const row_order order : {row_order::chunked, row_order::permuted, row_order::replacement}) {
    auto o = options(20);
    o.order = order;
    second_tries again;
    o.observers = {&again};
    const auto run = train(softmax{.features = 20, .classes = 3, .bias = true}, toy.csr(), engine, o);
    EXPECT_EQ(run.examples, (20 + again.count) * 200);
    // Better than knowing nothing. Over 60 runs of each update policy and number of workers the mean was at most 0.316
    // and the standard deviation at most 0.005, most of it from the order: log 3 = 1.099 lies 150 deviations above, for
    // a normal law a failure rate far below 1e-6.
    EXPECT_LT(run.train_loss, std::log(3.0));
  }
}

TEST_P(many_epochs, a_request_to_stop_from_outside_ends_the_run_soon) {
  const auto toy = test::planted_classification({.rows = 5'000, .columns = 20});
  std::stop_source source;
  auto o = options(1'000'000'000);
  o.stop = source.get_token();
  std::atomic<bool> begun = false;
  o.observers = {[&](const epoch_report&) { begun = true; }};
  std::jthread somebody([&] {
    EXPECT_TRUE(test::eventually(1min, [&] { return begun.load(); }));
    source.request_stop();
  });
  const auto run = train(logistic{}, toy.csr(), engine, o);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_GT(run.epochs, 0u);
  for (const float w : run.parameters) EXPECT_TRUE(std::isfinite(w));
}

INSTANTIATE_TEST_SUITE_P(every, many_epochs,
                         testing::Combine(testing::Values(discipline{update_kind::lossy, sharing_kind::direct},
                                                          discipline{update_kind::exact, sharing_kind::direct},
                                                          discipline{update_kind::locked, sharing_kind::direct},
                                                          discipline{update_kind::lossy, sharing_kind::buffered},
                                                          discipline{update_kind::exact, sharing_kind::buffered}),
                                          testing::Values(sharding::claimed, sharding::fixed),
                                          testing::Values(2u, 3u, 8u)));

}  // namespace
