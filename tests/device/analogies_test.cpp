// SPDX-License-Identifier: Apache-2.0
// Word vectors trained on a real device answer as many analogies as those of CPU workers; both rates in words per
// second are noted. The emulated device would take an hour.
#include "support/wikifa.hpp"

#include <string>

#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/train.hpp>

#include "devices.hpp"

using namespace hogwild;

namespace {

struct wikifa_on_a_device : test::wikifa {
  void SetUp() override {
    try {
      device::open_device(0);
    } catch (const resource_error& none) {
      test::go_without_device(none);
      return;
    }
    test::wikifa::SetUp();
  }

  void expect_analogies(const auto& engine, const std::string& who) {
    const train_result r = train(model, text->rows, engine, {.epochs = 5});
    ASSERT_EQ(r.status, run_status::done);
    const double right = analogies_right(r.parameters);
    RecordProperty(who + "_right", std::to_string(right));
    RecordProperty(who + "_words_per_second", std::to_string(static_cast<double>(r.nonzeros) / r.train_seconds));
    EXPECT_GE(right, least_right) << who;
  }
};

TEST_F(wikifa_on_a_device, analogies) {
  expect_analogies(thread_engine{}, "cpu");
  expect_analogies(cuda_engine{.device = 0}, "device");
  expect_analogies(cuda_engine{.workers = 1, .device = 0}, "hybrid");
}

}  // namespace
