// SPDX-License-Identifier: Apache-2.0
// The setup that a worker process reads, and refuses if it is damaged.
#include <hogwild/detail/run/run_setup.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusal.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

/// The setup of four workers; two of them drive a device.
run_setup some_setup() {
  run_setup setup{.first_row = 3,
                  .rows = 17,
                  .pin = 1,
                  .workers = 4,
                  .lanes = 16,
                  .place = 70,
                  .decorator = "ring",
                  .data_path = "/somewhere/rows.cache",
                  .cpus = {0, 2, 3},
                  .label_values = {-1.0, 0.5},
                  .degree = {7, 1, 0},
                  .model = std::vector<std::byte>(5, std::byte{9})};
  setup.options.device_count = 2;
  setup.options.devices[1] = 6;
  return setup;
}

std::string refusal_of(const std::vector<std::byte>& bytes) {
  return test::refusal_of<segment_error>([&] { run_setup::decode(bytes); }, "nothing was refused");
}

TEST(run_setup, comes_to_a_worker_as_it_was) {
  const run_setup setup = some_setup();
  const run_setup read = run_setup::decode(setup.encode());
  EXPECT_EQ(read.options.device_count, 2u);
  EXPECT_EQ(read.options.devices, setup.options.devices);
  EXPECT_EQ(read.rows, 17u);
  EXPECT_EQ(read.lanes, 16u);
  EXPECT_EQ(read.place, 70u);
  EXPECT_EQ(read.decorator, "ring");
  EXPECT_EQ(read.data_path, setup.data_path);
  EXPECT_EQ(read.cpus, setup.cpus);
  EXPECT_EQ(read.label_values, setup.label_values);
  EXPECT_EQ(read.degree, setup.degree);
  EXPECT_EQ(read.model, setup.model);
}

TEST(run_setup, of_a_program_with_other_options_is_refused) {
  std::vector<std::byte> bytes = some_setup().encode();
  for (std::size_t k = 0; k < sizeof(std::uint64_t); ++k) {
    bytes[k] ^= std::byte{1};
    EXPECT_THAT(refusal_of(bytes), HasSubstr("another layout than this program expects; start the worker from the"));
    bytes[k] ^= std::byte{1};
  }
}

TEST(run_setup, that_ends_too_early_is_refused) {
  const std::vector<std::byte> bytes = some_setup().encode();
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THAT(refusal_of({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)}), HasSubstr("purge it"));
}

TEST(run_setup, with_more_devices_than_workers_or_than_there_are_is_refused) {
  run_setup setup = some_setup();
  for (const std::uint32_t devices : {5u, 0xffffffffu}) {
    setup.options.device_count = devices;
    EXPECT_THAT(refusal_of(setup.encode()), HasSubstr("setup is inconsistent"));
  }
  setup.options.device_count = static_cast<std::uint32_t>(most_devices) + 1;
  setup.workers = 100;
  EXPECT_THAT(refusal_of(setup.encode()), HasSubstr("setup is inconsistent"));
  setup.options.device_count = setup.workers = static_cast<std::uint32_t>(most_devices);
  EXPECT_NO_THROW(run_setup::decode(setup.encode()));
}

TEST(run_setup, with_more_models_than_go_side_by_side_is_refused) {
  run_setup setup = some_setup();
  setup.lanes = 33;
  EXPECT_THAT(refusal_of(setup.encode()), HasSubstr("setup is inconsistent"));
}

// Whatever the bytes are, it ends with an error or a setup, whose vectors are no longer than the bytes.
TEST(run_setup, that_is_damaged_is_an_error_or_another_setup) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random{seed};
  const std::vector<std::byte> whole = some_setup().encode();
  for (int k = 0; k < 5000; ++k) {
    std::vector<std::byte> bytes = whole;
    for (int b = 0; b < 3; ++b) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    try {
      const run_setup setup = run_setup::decode(bytes);
      EXPECT_LE(setup.options.device_count, setup.workers);
      EXPECT_LE(setup.encode().size(), bytes.size());
    } catch (const segment_error&) {
    }
  }
}

}  // namespace
