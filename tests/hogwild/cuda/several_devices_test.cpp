// SPDX-License-Identifier: Apache-2.0
// Several devices, each as one more worker with a replica: the serial engine's objective, by threads.
#include <hogwild/cuda/engine.hpp>

#include <cstdint>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/train.hpp>

#include "given_devices.hpp"
#include "kernel_family.hpp"
#include "near_serial.hpp"
#include "support/serial_band.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"
#include "told_rows.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

const test::toy_rows dealt_rows =
    test::planted_classification({.rows = 8000, .columns = 200, .per_row = 10, .seed = 21});

struct devices_case {
  std::size_t devices, workers;  ///< workers on the CPU
  optimizer_kind optimizer;
  update_kind update;
};
void PrintTo(const devices_case& c, std::ostream* out) {
  *out << c.devices << " devices, " << c.workers << " CPU workers, "
       << (c.optimizer == optimizer_kind::sgd ? "sgd, " : "adagrad, ")
       << (c.update == update_kind::exact ? "exact" : "lossy");
}

std::vector<int> emulated(std::size_t count) {
  return std::vector<int>(count, emulated_device);
}

class on_several_devices : public testing::TestWithParam<devices_case> {};

TEST_P(on_several_devices, a_run_ends_where_a_serial_one_does) {
  const devices_case& c = GetParam();
  const train_options options{
      .epochs = 10, .step = {.initial = 0.2, .decay = 0.8}, .l2 = 1e-4, .update = c.update, .optimizer = c.optimizer};
  const train_result r = test::expect_near_serial(
      logistic{}, dealt_rows.csr(), cuda_engine{.workers = c.workers, .device = emulated(c.devices)}, options);
  EXPECT_GE(r.examples, 80'000u);
  EXPECT_EQ(r.workers, c.workers + c.devices);
  EXPECT_EQ(r.devices.size(), c.devices);
  for (const device_report& d : r.devices) EXPECT_EQ(d.name, "emulated");
}

INSTANTIATE_TEST_SUITE_P(every, on_several_devices,
                         testing::Values(devices_case{2, 0, optimizer_kind::sgd, update_kind::exact},
                                         devices_case{3, 0, optimizer_kind::sgd, update_kind::lossy},
                                         devices_case{2, 1, optimizer_kind::sgd, update_kind::lossy},
                                         devices_case{2, 0, optimizer_kind::adagrad, update_kind::lossy},
                                         devices_case{3, 2, optimizer_kind::adagrad, update_kind::exact}));

// Beside CPU workers a device whose thread comes late finds no rows left, unless some are its own.
TEST(devices, train_by_their_kernels_the_rows_that_are_said_to_be_theirs) {
  for (const auto& [devices, workers] : {std::pair{1u, 0u}, {3u, 0u}, {1u, 1u}, {2u, 2u}}) {
    const test::given_devices engine{.open = [](std::size_t) { return std::make_unique<test::device_that_tells>(); },
                                     .devices = devices,
                                     .workers = workers};
    const train_result r =
        train(test::told_rows{}, dealt_rows.csr(), engine,
              {.epochs = 2, .step = {.initial = 0.2}, .shards = workers == 0 ? sharding::claimed : sharding::fixed});
    std::uint64_t by_devices = 0;
    for (const device_report& d : r.devices) by_devices += d.rows;
    EXPECT_GT(by_devices, 0u);
    EXPECT_EQ(test::told_rows::by_kernels, by_devices) << devices << " devices, " << workers << " CPU workers";
    EXPECT_EQ(test::told_rows::by_workers, r.examples - by_devices) << devices << " devices, " << workers;
  }
}

TEST(several_devices, learn_ratings) {
  const test::toy_rows toy = test::planted_ratings();
  const train_options options{.epochs = 60, .step = {.initial = 0.1, .decay = 0.94}, .update = update_kind::exact};
  const double serial = train(test::factors_of({}), toy.csr(), serial_engine{}, options).train_loss;
  const train_result r = train(test::factors_of({}), toy.csr(), cuda_engine{.device = emulated(2)}, options);
  EXPECT_EQ(r.status, run_status::done);
  EXPECT_LE(r.train_loss, test::serial_band(2) * serial);
}

TEST(several_devices, are_driven_all_of_them_and_each_decides_where_its_rows_lie) {
  const train_options options{.epochs = 5, .step = {.initial = 0.2}};
  const test::small_device engine{.memory_bytes = device::device_arrays::bytes(200, 0) + 16'384, .devices = 3};
  const train_result r = test::expect_near_serial(logistic{}, dealt_rows.csr(), engine, options);
  ASSERT_EQ(r.devices.size(), 3u);
  for (const device_report& d : r.devices) EXPECT_GE(d.block_bytes, 2'000u);
}

TEST(several_devices, together_train_as_many_rows_at_once_as_the_step_allows) {
  const auto rows_at_once = [](std::size_t devices) {
    return train(least_squares{}, dealt_rows.csr(), cuda_engine{.device = emulated(devices)},
                 {.epochs = 1, .step = {.initial = 0.001}})
        .devices;
  };
  const auto one = rows_at_once(1), three = rows_at_once(3);
  ASSERT_EQ(three.size(), 3u);
  for (const device_report& d : three)
    EXPECT_NEAR(static_cast<double>(d.rows_in_flight), static_cast<double>(one[0].rows_in_flight) / 3.0, 1.0);
}

TEST(several_devices, stand_in_the_record) {
  const auto last = test::record_of(logistic{}, dealt_rows.csr(), cuda_engine{.device = emulated(2)}).back();
  ASSERT_EQ(last["devices"].size(), 2u);
  for (const auto& d : last["devices"]) {
    EXPECT_EQ(d["device"], -1);
    EXPECT_EQ(d["name"], "emulated");
  }
}

// The table says why managed memory and, but for processes, pinned memory are refused (combinations_test).
TEST(several_devices, are_named_once_each_and_have_memory_of_their_own) {
  const auto said = [](const device_list& devices, memory_kind memory = memory_kind::device) {
    return test::refusal_to_train(logistic{}, dealt_rows.csr(), cuda_engine{.device = devices, .memory = memory},
                                  {.epochs = 1, .step = {.initial = 0.1}});
  };
  EXPECT_THAT(said({0, 1, 0}), HasSubstr("device 0 is named twice"));
  EXPECT_THAT(said(std::vector<int>()), HasSubstr("no device is named"));
  EXPECT_THAT(said(emulated(17)), HasSubstr("16 devices at most, and 17 are named"));
  EXPECT_THAT(said(emulated(2), memory_kind::pinned), HasSubstr("or device memory"));
  EXPECT_THAT(said(emulated(2), memory_kind::managed), HasSubstr("or use device memory"));
}

}  // namespace
