// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <hogwild/hogwild.hpp>

namespace hogwild {
namespace {

struct diary final : observer {
  std::string calls;
  bool fails = false;
  void on_start(const run_start&) override { calls += "start "; }
  void on_epoch(const epoch_report&) override {
    calls += "epoch ";
    if (fails) throw std::runtime_error("enough");
  }
  void on_finish(const train_result&) override { calls += "finish"; }
  void on_failure() override { calls += "failure"; }
};

class observers : public testing::Test {
 protected:
  std::vector<std::uint64_t> row_start = {0, 1, 2};
  std::vector<std::uint32_t> index = {0, 1};
  std::vector<float> value = {1.0f, 1.0f}, label = {1.0f, -1.0f};
  const csr_rows rows{row_start, index, value, label, 2};
  diary told;
};

TEST_F(observers, are_told_in_order) {
  train(logistic{}, rows, serial_engine{}, {.epochs = 2, .step = {.initial = 1.0}, .observers = {&told}});
  EXPECT_EQ(told.calls, "start epoch epoch finish");
}

TEST_F(observers, are_told_of_a_run_that_ends_with_an_exception) {
  told.fails = true;
  EXPECT_THROW(train(logistic{}, rows, serial_engine{}, {.epochs = 2, .step = {.initial = 1.0}, .observers = {&told}}),
               std::runtime_error);
  EXPECT_EQ(told.calls, "start epoch failure");
}

}  // namespace
}  // namespace hogwild
