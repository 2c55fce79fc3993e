// SPDX-License-Identifier: Apache-2.0
// Runs on a device end where serial ones end.
#include <hogwild/cuda/engine.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/quantile.hpp>
#include <hogwild/train.hpp>

#include "devices.hpp"
#include "far_rows.hpp"
#include "support/serial_band.hpp"
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

/// cuda_engine with a given number of rows in flight, whatever the step allows.
struct rows_at_once {
  std::size_t workers = 0;
  int device = emulated_device;
  std::uint32_t rows = 1;
};

std::size_t plan_sharing(const rows_at_once& engine, run_planner& run) {
  const std::size_t decided = plan_sharing(cuda_engine{.device = engine.device}, run);
  run.loop().rows_in_flight = engine.rows;
  return decided;
}

std::unique_ptr<engine_run> start(const rows_at_once& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note) {
  return start(cuda_engine{.workers = engine.workers, .device = engine.device, .pin = false}, task, plan, note);
}

// The objective is recorded. By simulation it does not suffer from up to a quarter of the rows that the step allows;
// the emulated device has as many rows in flight as threads, whatever is asked for.
TEST_P(runs_on, with_more_rows_in_flight_end_as_is_recorded) {
  const auto toy = test::planted_classification({.rows = 20'000, .columns = 500, .per_row = 10, .seed = 19});
  const train_options options{.epochs = 5, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 1e-4};
  const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
  const std::uint64_t allowed = train(logistic{}, toy.csr(), engine(), options).devices[0].rows_in_flight;
  RecordProperty("allowed", std::to_string(allowed));
  for (const std::uint32_t rows : {32u, 128u, 512u, 2048u, 8448u}) {
    const train_result r = train(logistic{}, toy.csr(), rows_at_once{.device = GetParam(), .rows = rows}, options);
    EXPECT_EQ(r.devices[0].rows_in_flight, rows);
    RecordProperty("above_serial_at_" + std::to_string(rows), std::to_string(r.objective / serial - 1.0));
    if (4 * rows <= allowed || GetParam() == emulated_device) {
      EXPECT_LE(r.objective, test::serial_band(1) * serial) << rows;
    }
  }
}

// On the emulated device runs of this kind end at most 0.5 % from the serial one (tests/hogwild/cuda/engine_test.cpp).
TEST_P(runs_on, end_in_the_band_of_the_serial_run_under_both_policies) {
  const auto toy = test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 18});
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    const train_options options{.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 1e-4, .update = update};
    const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
    const train_result r = train(logistic{}, toy.csr(), engine(), options);
    EXPECT_EQ(r.status, run_status::done);
    EXPECT_LE(r.objective, test::serial_band(1) * serial) << static_cast<int>(update);
    RecordProperty("above_serial", std::to_string(r.objective / serial - 1.0));
  }
}

TEST_P(runs_on, end_in_the_band_of_the_serial_run_beside_a_worker_on_the_cpu) {
  const auto toy = test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 18});
  const train_options options{.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 1e-4};
  const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
  const train_result r = train(logistic{}, toy.csr(), engine(1), options);
  EXPECT_EQ(r.workers, 2u);
  EXPECT_LE(r.objective, test::serial_band(2) * serial);
}

// Beside it a worker on the CPU trains on the same bytes.
TEST_P(runs_on, end_in_the_band_of_the_serial_run_in_memory_of_the_store) {
  const auto toy = test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 18});
  const device::device_facts facts = device->facts();
  for (const memory_kind memory : {memory_kind::pinned, memory_kind::managed}) {
    if (memory == memory_kind::managed && !facts.concurrent_managed_access) continue;
    for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
      if (update == update_kind::exact && memory == memory_kind::pinned && !facts.native_host_atomics) continue;
      const train_options options{.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 1e-4, .update = update};
      const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
      cuda_engine shared = engine(1);
      shared.memory = memory;
      const train_result r = train(logistic{}, toy.csr(), shared, options);
      EXPECT_EQ(r.workers, 2u);
      EXPECT_LE(r.objective, test::serial_band(2) * serial)
          << r.devices[0].memory << ", update policy " << static_cast<int>(update);
    }
  }
}

// Each row adds 1/2 of the step to each weight, without rounding (far_rows.hpp), on any worker.
TEST_P(runs_on, keep_every_exact_add_in_memory_of_the_store) {
  constexpr std::size_t columns = 31, rows = 20'000;
  const test::toy_rows toy = test::rows_far_from_their_labels(rows, columns);
  const device::device_facts facts = device->facts();
  for (const memory_kind memory : {memory_kind::pinned, memory_kind::managed}) {
    if (memory == memory_kind::managed ? !facts.concurrent_managed_access : !facts.native_host_atomics) continue;
    cuda_engine shared = engine(1);
    shared.memory = memory;
    const train_result r = train(quantile{}, toy.csr(), shared,
                                 {.epochs = 3,
                                  .step = {.initial = 1.0, .kind = schedule_kind::constant},
                                  .l2 = 0.0,
                                  .update = update_kind::exact});
    EXPECT_EQ(r.parameters, std::vector<float>(columns, 3 * rows / 2.0f)) << r.devices[0].memory;
  }
}

// In thirty runs on the emulated device the error ended 0.009 % above that of the serial run, with a standard deviation
// of 0.0002 %; in twelve on one CPU, 0.012 % above it.
TEST_P(runs_on, learn_ratings) {
  const auto toy = test::planted_ratings();
  const csr_rows rows = toy.csr();
  const train_options options{.epochs = 60, .step = {.initial = 0.1, .decay = 0.94}, .update = update_kind::exact};
  const double serial = train(test::factors_of({}), rows, serial_engine{}, options).train_loss;
  const train_result r = train(test::factors_of({}), rows, engine(), options);
  EXPECT_EQ(r.status, run_status::done);
  const double error = std::sqrt(r.train_loss / serial);  // losses are half the squares
  EXPECT_LE(error, test::serial_band(1));
  RecordProperty("above_serial", std::to_string(error - 1.0));
}

INSTANTIATE_TEST_SUITE_P(every, runs_on, test::all_devices(), test::device_of);

}  // namespace
