// SPDX-License-Identifier: Apache-2.0
// Workers that join a ring of processes by hand: each finds a replica to help, and the run ends as well as it would
// have.
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/logistic.hpp>

#include "guests_of_run.hpp"
#include "ring_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using test::ring_size;
using test::slow_at_work;

struct ring_guests : testing::TestWithParam<std::size_t> {};

TEST_P(ring_guests, do_their_part_and_keep_the_quality) {
  const ring_size size{2, 2};
  const test::toy_rows rows = test::some_rows();
  train_options options{.epochs = 30, .step = {.initial = 0.2, .decay = 0.85}};
  const double serial = train(logistic{}, rows.csr(), serial_engine{}, options).objective;
  test::host seen(slow_at_work::name, size.workers, GetParam());
  options.observers = {&seen};
  const train_result run = train(slow_at_work{}, rows.csr(), size.engine(), options);
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_TRUE(seen.all_leave_well());
  EXPECT_EQ(run.examples, options.epochs * rows.rows());
  EXPECT_EQ(run.rows_lost, 0u);
  const double fraction = static_cast<double>(seen.rows_of_guests) / static_cast<double>(run.examples);
  RecordProperty("fraction_of_guests", std::to_string(fraction));
  RecordProperty("exchanges_of_guests", std::to_string(seen.exchanges_of_guests));
  RecordProperty("above_serial", std::to_string(run.objective / serial - 1.0));
  // All sleep in each row, so that guests do about their share; a tenth is what a guest that hardly gets a CPU does.
  EXPECT_GE(fraction, 0.1);
  EXPECT_GT(seen.exchanges_of_guests, 0u);  // they hold the token for the replica that they train
  EXPECT_NEAR(run.objective, serial, 0.01 * serial);
  EXPECT_TRUE(test::leftovers().empty());
}

INSTANTIATE_TEST_SUITE_P(one_to_three, ring_guests, testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role ring_guests_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild;
  if (argc == 3 && std::string_view(argv[1]) == "--join") {
    test::slow_at_work::at_work = true;
    return work_as<test::slow_at_work>({.segment = argv[2]});
  }
  return test::ring_role<test::slow_at_work>(argc, argv);
});
