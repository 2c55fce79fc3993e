// SPDX-License-Identifier: Apache-2.0
// A device and worker processes train on the same bytes of a named segment, which is registered with the device.
#include <hogwild/cuda/engine.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>
#include <hogwild/models/quantile.hpp>
#include <hogwild/train.hpp>
#include <hogwild/worker_main.hpp>

#include "devices.hpp"
#include "far_rows.hpp"
#include "support/program_role.hpp"
#include "support/serial_band.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

struct segments_on : test::each_device {
  cuda_engine engine() {
    device.reset();  // a worker process opens it for itself
    return {.workers = 1,
            .device = GetParam(),
            .memory = memory_kind::pinned,
            .transport = transport_kind::shared_segment,
            .pin = false};
  }
};

// Like runs_test.cpp, whose worker beside the device is a thread.
TEST_P(segments_on, runs_beside_a_process_end_in_the_band_of_the_serial_run) {
  const auto toy = test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 18});
  const train_options options{.epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 1e-4};
  const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
  const train_result r = train(logistic{}, toy.csr(), engine(), options);
  EXPECT_EQ(r.workers, 2u);
  EXPECT_EQ(r.workers_replaced, 0u);
  EXPECT_LE(r.objective, test::serial_band(2) * serial);
}

// Each row adds 1/2 of the step to each weight, without rounding (far_rows.hpp), on any worker.
TEST_P(segments_on, exact_adds_beside_a_process_are_not_lost) {
  if (!device->facts().native_host_atomics)
    GTEST_SKIP() << "the device's atomic operations on memory of the host are not atomic to CPUs";
  constexpr std::size_t columns = 4, rows = 100'000, epochs = 10;
  const test::toy_rows toy = test::rows_far_from_their_labels(rows, columns);
  const train_result r = train(quantile{}, toy.csr(), engine(),
                               {.epochs = epochs,
                                .step = {.initial = 1.0, .kind = schedule_kind::constant},
                                .l2 = 0.0,
                                .update = update_kind::exact});
  EXPECT_EQ(r.parameters, std::vector<float>(columns, epochs * rows / 2.0f));
  EXPECT_EQ(r.updates, epochs * rows);
}

INSTANTIATE_TEST_SUITE_P(every, segments_on, test::all_devices(), test::device_of);

}  // namespace

const test::program_role device_segments_role([](int argc, char** argv) -> std::optional<int> {
  return worker_main<logistic, quantile>(argc, argv);
});
