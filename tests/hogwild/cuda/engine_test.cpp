// SPDX-License-Identifier: Apache-2.0
// A device as one more worker, by the emulated one: the serial engine's objective, alone and beside workers on the CPU.
#include <hogwild/cuda/engine.hpp>

#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "near_serial.hpp"
#include "support/refusal.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

const test::toy_rows rows_of_classes =
    test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 18});

struct device_case {
  std::size_t workers;  ///< on the CPU
  optimizer_kind optimizer;
  update_kind update;
  bool bias;
};
void PrintTo(const device_case& c, std::ostream* out) {
  *out << c.workers << " CPU workers, " << (c.optimizer == optimizer_kind::sgd ? "sgd, " : "adagrad, ")
       << (c.update == update_kind::exact ? "exact" : "lossy") << (c.bias ? ", bias" : "");
}

class on_a_device : public testing::TestWithParam<device_case> {};

TEST_P(on_a_device, a_run_ends_where_a_serial_one_does) {
  const device_case& c = GetParam();
  const train_options options{.epochs = 10,
                              .step = {.initial = 0.5, .decay = 0.8},
                              .l2 = 1e-4,
                              .update = c.update,
                              .optimizer = c.optimizer,
                              .bias = c.bias};
  const train_result r = test::expect_near_serial(
      logistic{}, rows_of_classes.csr(), cuda_engine{.workers = c.workers, .device = emulated_device}, options);
  EXPECT_GE(r.examples, 40'000u);  // more where replicas have overshot and an epoch was taken back
  EXPECT_EQ(r.workers, c.workers + 1);
  EXPECT_GT(r.updates, 30'000u);
  EXPECT_LE(r.updates, r.examples);
  ASSERT_EQ(r.devices.size(), 1u);
  EXPECT_EQ(r.devices[0].device, emulated_device);
  EXPECT_EQ(r.devices[0].name, "emulated");
  EXPECT_GE(r.devices[0].rows_in_flight, 1u);
}

INSTANTIATE_TEST_SUITE_P(every, on_a_device,
                         testing::Values(device_case{0, optimizer_kind::sgd, update_kind::lossy, true},
                                         device_case{0, optimizer_kind::sgd, update_kind::exact, false},
                                         device_case{0, optimizer_kind::adagrad, update_kind::lossy, true},
                                         device_case{0, optimizer_kind::adagrad, update_kind::exact, false},
                                         device_case{2, optimizer_kind::sgd, update_kind::lossy, true},
                                         device_case{1, optimizer_kind::sgd, update_kind::exact, true},
                                         device_case{2, optimizer_kind::adagrad, update_kind::exact, true}));

TEST(a_device, trains_softmax) {
  const test::toy_rows rows = test::planted_classes({.rows = 4000, .columns = 200, .per_row = 10, .seed = 20}, 5);
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const train_options options{.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .optimizer = optimizer};
    const softmax model{.features = 200, .classes = 5, .bias = true};
    const train_result r = test::expect_near_serial(model, rows.csr(), cuda_engine{.device = emulated_device}, options);
    EXPECT_GT(r.updates, 30'000u);
  }
}

TEST(a_device, trains_entries_of_any_unit_by_adagrad) {
  if (test::thread_sanitized) GTEST_SKIP() << "a unit changes nothing about how workers share; see trains_softmax";
  for (const float unit : {1e-6f, 1e3f}) {
    test::toy_rows rows = rows_of_classes;
    for (float& x : rows.value) x *= unit;
    const auto ends_where_a_serial_run_does = [&](const auto& model, bool bias) {
      const train_options options{.epochs = 10,
                                  .step = {.initial = 0.5 / static_cast<double>(unit), .decay = 0.8},
                                  .optimizer = optimizer_kind::adagrad,
                                  .bias = bias};
      SCOPED_TRACE(unit);
      test::expect_near_serial(model, rows.csr(), cuda_engine{.device = emulated_device}, options);
    };
    ends_where_a_serial_run_does(logistic{}, true);
    ends_where_a_serial_run_does(softmax{.features = 200, .classes = 2, .bias = true}, false);
  }
}

TEST(a_device, trains_factorization_machines) {
  const factorization_machine model{.features = 200, .factors = 12};
  for (const std::size_t workers : {0u, 1u}) {
    for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
      // Each takes half a minute under ThreadSanitizer.
      if (test::thread_sanitized && (workers == 0 || optimizer == optimizer_kind::sgd)) continue;
      const train_options options{
          .epochs = 10, .step = {.initial = 0.1, .decay = 0.8}, .l2 = 1e-4, .optimizer = optimizer};
      const train_result r = test::expect_near_serial(
          model, rows_of_classes.csr(), cuda_engine{.workers = workers, .device = emulated_device}, options);
      EXPECT_GT(r.updates, 30'000u);
    }
  }
}

TEST(a_device, trains_no_more_rows_at_once_than_the_step_allows) {
  const auto rows_at_once = [](double step, optimizer_kind optimizer) {
    const train_result r = train(least_squares{}, rows_of_classes.csr(), cuda_engine{.device = emulated_device},
                                 {.epochs = 1, .step = {.initial = step}, .optimizer = optimizer});
    return r.devices[0].rows_in_flight;
  };
  const std::uint64_t few = rows_at_once(0.1, optimizer_kind::sgd), many = rows_at_once(0.001, optimizer_kind::sgd);
  EXPECT_NEAR(static_cast<double>(many), 100.0 * static_cast<double>(few), 100.0);
  EXPECT_NEAR(static_cast<double>(rows_at_once(0.001, optimizer_kind::adagrad)), 4.0 * static_cast<double>(many), 4.0);
}

TEST(a_device, trains_a_quarter_as_many_rows_of_factorization_machines_at_once) {
  const cuda_engine engine{.device = emulated_device};
  const train_options options{.epochs = 1, .step = {.initial = 0.001}, .optimizer = optimizer_kind::sgd};
  const auto rows_at_once = [&](const auto& model) {
    return static_cast<double>(train(model, rows_of_classes.csr(), engine, options).devices[0].rows_in_flight);
  };
  // Their bias adds 1 to the curvature at most.
  const double curvature = 2.0 / (0.001 * rows_at_once(least_squares{}));
  EXPECT_NEAR(rows_at_once(factorization_machine{.features = 200}), 0.5 / (0.001 * (curvature + 1.0)), 2.0);
}

TEST(a_device, stands_in_the_record) {
  const auto last = test::record_of(hinge_svm{}, rows_of_classes.csr(), cuda_engine{.device = emulated_device}).back();
  EXPECT_EQ(last["devices"][0]["device"], -1);
  EXPECT_EQ(last["devices"][0]["name"], "emulated");
  EXPECT_GE(last["devices"][0]["rows_in_flight"], 1);
}

TEST(a_device, goes_on_from_a_checkpoint) {
  test::expect_to_go_on_near_serial(logistic{}, rows_of_classes.csr(), cuda_engine{.device = emulated_device});
}

TEST(a_device, refuses_what_it_does_not_train) {
  const auto said = [](const auto& m, const train_options& options, const test::toy_rows& rows = rows_of_classes) {
    return test::refusal_to_train(m, rows.csr(), cuda_engine{.device = emulated_device}, options);
  };
  EXPECT_THAT(said(softmax{.features = 200, .classes = 129}, {}), HasSubstr("up to 128 classes"));
  EXPECT_THAT(said(softmax{.features = 200, .one_vs_rest = true}, {}),
              HasSubstr("does not train softmax with one_vs_rest"));
  EXPECT_THAT(said(softmax{.features = 200, .classes = 4}, {}, test::planted_lists({.rows = 100, .columns = 200}, 4)),
              HasSubstr("these have lists"));
  EXPECT_THAT(said(factorization_machine{.features = 200, .factors = 129}, {}), HasSubstr("up to 128 factors"));
  EXPECT_THAT(said(logistic{}, {.optimizer = optimizer_kind::adam}), HasSubstr("sgd or adagrad"));
  EXPECT_THAT(said(logistic{}, {.order = row_order::permuted}), HasSubstr("leave the order at chunked"));
  EXPECT_THAT(said(logistic{}, {.reproducible = true}), HasSubstr("reproducible"));
  EXPECT_THAT(said(logistic{}, {.update = update_kind::locked}), HasSubstr("no locks"));
  EXPECT_THAT(said(logistic{}, {.sharing = sharing_kind::direct}), HasSubstr("leave the sharing at auto"));
}

TEST(a_device, that_cannot_be_used_is_an_error_with_a_remedy) {
  try {
    train(logistic{}, rows_of_classes.csr(), cuda_engine{.device = 0}, {.epochs = 1, .step = {.initial = 0.1}});
    GTEST_SKIP() << "device 0 is there";
  } catch (const resource_error& e) {
    EXPECT_EQ(e.code(), exit_code::resources);
    EXPECT_THAT(e.what(), HasSubstr("take --device emulated"));
  }
}

/// Each row is trained once an epoch, whatever the rounds, and the objective is near that of epochs of one round.
template <class M>
void expect_rounds(const M& m, const test::toy_rows& rows) {
  for (const std::size_t workers : {0u, 1u}) {
    train_options options{.epochs = 3, .step = {.initial = 0.05, .decay = 1.0}, .l2 = 1e-4};
    const cuda_engine engine{.workers = workers, .device = emulated_device};
    const double whole = train(m, rows.csr(), engine, options).objective;
    std::vector<float> last;
    std::size_t told = 0;
    options.rounds = 4;
    options.observers = {[&](const round_report& r) { ++told, last = r.parameters(); }};
    const train_result cut = train(m, rows.csr(), engine, options);
    EXPECT_EQ(told, 12u);
    EXPECT_EQ(cut.examples, 3 * rows.rows());
    EXPECT_EQ(cut.parameters, last);
    EXPECT_NEAR(cut.objective, whole, 0.05 * whole);
  }
}

TEST(a_device, trains_in_rounds) {
  expect_rounds(logistic{}, rows_of_classes);
  expect_rounds(factorization_machine{.features = 200, .factors = 4}, rows_of_classes);
  const test::toy_rows classes = test::planted_classes({.rows = 2000, .columns = 100, .per_row = 10, .seed = 20}, 3);
  expect_rounds(softmax{.features = 100, .classes = 3}, classes);
}

}  // namespace
