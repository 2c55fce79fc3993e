// SPDX-License-Identifier: Apache-2.0
// Runs for which a device is expected to be slower than the CPU, and the notes about them.
#include "expected_speed.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/heard_run.hpp"
#include "support/refusal.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using hogwild::device::speed_facts;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(expected_speed, is_rows_in_flight_over_the_time_of_a_row) {
  EXPECT_DOUBLE_EQ(device::most_device_rows({.rows_in_flight = 300}), 200e6);
  EXPECT_DOUBLE_EQ(device::expected_cpu_rows({.cpu_row_ns = 100.0, .cpus = 1}), 10e6);
  EXPECT_DOUBLE_EQ(device::expected_cpu_rows({.cpu_row_ns = 100.0, .cpus = 16}), 128e6);
}

TEST(expected_speed, the_cpu_is_faster_where_rows_in_flight_are_few) {
  // Rows of 130 entries as imdb's, 400 million entries a second: 325 ns. 16 CPUs train as fast as 60 warps.
  const speed_facts imdb{.rows_in_flight = 38, .cpu_row_ns = 325.0, .cpus = 16};
  EXPECT_THAT(device::why_cpus_are_faster(imdb), AllOf(HasSubstr("38 rows"), HasSubstr("at most 25 million"),
                                                       HasSubstr("about 39 million"), HasSubstr("--engine threads")));
  speed_facts more = imdb;
  more.rows_in_flight = 60;
  EXPECT_EQ(device::why_cpus_are_faster(more), "");
  speed_facts few_cpus = imdb;
  few_cpus.cpus = 2;
  EXPECT_EQ(device::why_cpus_are_faster(few_cpus), "");
}

/// The notes of a run; it ends at once if there is no such device.
std::vector<std::string> notes_of(const cuda_engine& engine, double step) {
  test::heard_run said;
  const auto toy = test::planted_classification({.rows = 4000, .columns = 200, .per_row = 2, .seed = 18});
  train_options options{.epochs = 1, .step = {.initial = step}, .l2 = 0.0};
  options.observers.push_back(&said);
  test::refusal_of<resource_error>([&] { train(logistic{}, toy.csr(), engine, options); });
  return said.notes;
}

TEST(expected_speed, is_noted_of_a_real_device_that_trains_alone) {
  if (test::sanitized) GTEST_SKIP() << "the CPU is too slow here";
  // One row of two entries at once: a CPU needs a hundredth of a device's time.
  constexpr double steep = 10'000.0;
  const auto faster =
      Contains(AllOf(HasSubstr("no more than 1 row of"), HasSubstr("--engine threads is expected to be faster")));
  EXPECT_THAT(notes_of({.device = 0}, steep), faster);
  EXPECT_THAT(notes_of({.device = emulated_device}, steep), Not(faster));
  EXPECT_THAT(notes_of({.workers = 1, .device = 0}, steep), Not(faster));
  EXPECT_THAT(notes_of({.device = 0}, 1e-6), Not(Contains(HasSubstr("threads")))) << "a million rows at once";
}

}  // namespace
