// SPDX-License-Identifier: Apache-2.0
// Factors in half storage on the emulated device: the copies, the result of a run, and refused options.
#include <hogwild/cuda/engine.hpp>

#include <ostream>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "kernel_family.hpp"
#include "near_serial.hpp"
#include "support/fresh_seed.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

constexpr test::toy_ratings_shape half_shape{};
const test::toy_rows half_rows = test::planted_ratings(half_shape);

/// A replica on the emulated device; most of its floats are trained as halves.
struct halves_on_a_device : test::fresh_seed<> {
  static constexpr std::size_t floats = 102, halves = 100;

  halves_on_a_device() {
    std::normal_distribution<float> normal;
    for (std::size_t j = 0; j < floats; ++j) before.push_back(arrays.values[0][j] = normal(random));
  }
  void begin(std::size_t first, std::size_t count) {
    arrays.halves->begin(first, count);
    emulated->wait(emulated->mark());
  }
  void take_gains(std::size_t first, std::size_t count) {
    arrays.halves->take_gains(first, count);
    emulated->wait(emulated->mark());
  }
  std::vector<float> now() const { return {arrays.values[0].begin(), arrays.values[0].end()}; }

  std::unique_ptr<device::runtime> emulated = device::open_emulated(2);
  device::device_arrays arrays{*emulated, floats, 0, halves};
  std::vector<float> before;
};

TEST_F(halves_on_a_device, that_gain_nothing_change_no_bit_however_often_they_are_copied) {
  for (int copies = 0; copies < 50; ++copies) {
    begin(0, floats);
    take_gains(0, floats);
  }
  EXPECT_EQ(now(), before);
}

// Halves gain or lose a quarter; the floats then have that in addition to what rounding took from the halves.
TEST_F(halves_on_a_device, hand_on_what_they_gained_in_the_range_that_is_copied) {
  float* const values = arrays.values[0].data();
  for (std::size_t j = 0; j < floats; ++j) values[j] = 1.0f + 0x1p-13f;  // a fourth of a half's last place
  begin(0, floats);
  for (std::size_t k = 0; k < halves / 2; ++k) arrays.halves->data()[k] = device::to_half_pair(1.25f, 0.75f);
  take_gains(10, 20);
  take_gains(60, 1000);
  for (std::size_t j = 0; j < floats; ++j) {
    const bool copied = (j >= 10 && j < 30) || (j >= 60 && j < halves);
    const float gain = !copied ? 0.0f : j % 2 == 0 ? 0.25f : -0.25f;
    EXPECT_EQ(values[j], 1.0f + 0x1p-13f + gain) << j;
  }
}

TEST_F(halves_on_a_device, take_two_bytes_each_beside_the_floats) {
  EXPECT_EQ(device::device_arrays::bytes(1000, 0, 800), device::device_arrays::bytes(1000, 0) + 1600);
}

std::vector<float> trained(double step, const cuda_engine& engine) {
  const train_options options{.epochs = 6, .step = {.initial = step}, .l2 = 0.0};
  return train(test::factors_of(half_shape, 16, false), half_rows.csr(), engine, options).parameters;
}

// Factors begin near 0.0125, where halves are 2^-17 apart, and a step of 1e-7 changes them by less than 1e-7 * 6 *
// 0.06, which is 2^-24: no half ever changes, floats do. Were halves copied as they are, all factors would be rounded.
TEST(half_storage, hands_on_no_rounding_where_each_step_is_below_its_resolution) {
  const std::vector<float> begun = trained(1e-30, {.device = emulated_device});
  EXPECT_NE(trained(1e-7, {.device = emulated_device}), begun);
  EXPECT_EQ(trained(1e-7, {.device = emulated_device, .storage = storage_kind::half}), begun);
  const device_list two = {emulated_device, emulated_device};
  EXPECT_EQ(trained(1e-7, {.device = two, .storage = storage_kind::half}), begun);
}

struct half_case {
  std::size_t devices, workers;  ///< workers on the CPU
};
void PrintTo(const half_case& c, std::ostream* out) {
  *out << c.devices << " devices, " << c.workers << " CPU workers";
}

struct half_run : testing::TestWithParam<half_case> {};

// The bounds are those of factors in float (factor_engine_test).
TEST_P(half_run, ends_where_a_serial_run_does_with_parameters_that_are_not_rounded) {
  const test::scratch_folder folder;
  const half_case& c = GetParam();
  const cuda_engine engine{.workers = c.workers,
                           .device = device_list(std::vector<int>(c.devices, emulated_device)),
                           .storage = storage_kind::half};
  const train_options options{
      .epochs = 30, .step = {.initial = 0.1, .decay = 0.92}, .l2 = 0.04, .record = folder / "record"};
  const train_result r =
      test::expect_ratings_near_serial(test::factors_of(half_shape, 4), half_rows.csr().view(), 5000, engine, options);
  ASSERT_EQ(r.devices.size(), c.devices);
  EXPECT_EQ(r.devices[0].storage, "half");
  EXPECT_EQ(r.devices[0].exchange, c.devices > 1 ? "peers" : c.workers > 0 ? "host" : "");
  EXPECT_THAT(test::read_text(options.record), HasSubstr("\"storage\":\"half\""));
}

INSTANTIATE_TEST_SUITE_P(by, half_run, testing::Values(half_case{1, 0}, half_case{1, 1}, half_case{2, 0}));

TEST(half_storage, is_refused_where_it_has_no_meaning) {
  cuda_engine halves{.device = emulated_device, .storage = storage_kind::half};
  const auto said = [&](const train_options& options) {
    return test::refusal_to_train(test::factors_of(half_shape), half_rows.csr(), halves, options);
  };
  EXPECT_THAT(said({.update = update_kind::exact}), HasSubstr("use lossy updates, or float storage"));
  EXPECT_THAT(said({.optimizer = optimizer_kind::row_adagrad}), HasSubstr("trained by sgd"));
  const test::toy_rows binary = test::planted_classification({.rows = 60, .columns = 10, .per_row = 3});
  EXPECT_THAT(test::refusal_to_train(logistic{}, binary.csr(), halves), HasSubstr("leave the storage at float"));
  for (const memory_kind memory : {memory_kind::pinned, memory_kind::managed}) {
    halves.memory = memory;
    EXPECT_THAT(said({}), HasSubstr("leave the memory at device"));
  }
}

}  // namespace
