// SPDX-License-Identifier: Apache-2.0
// Runs on a device end where serial ones end.
#include <hogwild/cuda/engine.hpp>

#include <tuple>

#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/train.hpp>

#include "devices.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;

namespace {

struct runs_on : test::each_device {
  cuda_engine engine(std::size_t workers = 0) {
    device.reset();  // the run opens it for itself
    return {.workers = workers, .device = GetParam(), .pin = false};
  }
};

// On the emulated device runs of this kind end at most 0.5 % beside the serial one
// (tests/hogwild/cuda/engine_test.cpp).
TEST_P(runs_on, end_in_the_band_of_the_serial_run_under_both_policies) {
  const auto toy = test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 18});
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    const train_options options{.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 1e-4, .update = update};
    const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
    const train_result r = train(logistic{}, toy.csr(), engine(), options);
    EXPECT_EQ(r.status, run_status::done);
    EXPECT_LE(r.objective, 1.02 * serial) << static_cast<int>(update);
    RecordProperty("above_serial", std::to_string(r.objective / serial - 1.0));
  }
}

TEST_P(runs_on, end_in_the_band_of_the_serial_run_beside_a_worker_on_the_cpu) {
  const auto toy = test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 18});
  const train_options options{.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 1e-4};
  const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
  const train_result r = train(logistic{}, toy.csr(), engine(1), options);
  EXPECT_EQ(r.workers, 2u);
  EXPECT_LE(r.objective, 1.02 * serial);
}

TEST_P(runs_on, learn_ratings) {
  const auto toy = test::planted_ratings();
  const csr_rows rows = toy.csr();
  const train_options options{.epochs = 60, .step = {.initial = 0.1, .decay = 0.94}, .update = update_kind::exact};
  const double serial = train(test::factors_of({}), rows, serial_engine{}, options).train_loss;
  const train_result r = train(test::factors_of({}), rows, engine(), options);
  EXPECT_EQ(r.status, run_status::done);
  EXPECT_LE(r.train_loss, 1.05 * serial);
}

INSTANTIATE_TEST_SUITE_P(every, runs_on, test::all_devices(), test::device_of);

}  // namespace
