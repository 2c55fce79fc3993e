// SPDX-License-Identifier: Apache-2.0
// The queue of the emulated device.
#include "runtime.hpp"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/task/margin_loss.hpp>
#include <hogwild/models/logistic.hpp>

using namespace hogwild;
using namespace hogwild::device;

namespace {

struct refuses_large_margins : logistic {
  static constexpr std::string_view name = "refuses_large_margins";
  float derivative(float margin, float label) const {
    if (margin > 0.5f) throw std::domain_error("a margin is too large");
    return logistic::derivative(margin, label);
  }
};

/// One row of one column, trained again and again.
struct emulated_device_queue : testing::Test {
  margin_work one_row(float* weights, std::uint64_t rows = 1) {
    start.resize(rows + 1);
    for (std::size_t r = 0; r < start.size(); ++r) start[r] = static_cast<std::uint32_t>(r);
    index.assign(rows, 0);
    value.assign(rows, 1.0f);
    label.assign(rows, 1.0f);
    margin_work work;
    work.start32 = start.data(), work.index32 = index.data(), work.value = value.data(), work.label = label.data();
    work.columns = 1, work.count = rows, work.weights = weights, work.step = 1.0f, work.rows_in_flight = 2;
    return work;
  }

  std::vector<std::uint32_t> start, index;
  std::vector<float> value, label;
};

TEST_F(emulated_device_queue, does_everything_in_order) {
  const auto device = open_emulated(2);
  const logistic model;
  device->bind(margin_loss(model), logistic::name, {});
  const buffer<float> weights(*device, 1);
  std::vector<float> seen(100, -1.0f);
  device->zero(weights.data(), sizeof(float));
  const margin_work work = one_row(weights.data());
  for (float& x : seen) {
    device->train(work);
    device->download(&x, weights.data(), sizeof x);
  }
  device->wait(device->mark());
  EXPECT_FLOAT_EQ(seen[0], 0.5f);
  for (std::size_t i = 1; i < seen.size(); ++i) ASSERT_GT(seen[i], seen[i - 1]) << i;
  const float given = 7.0f;
  float back = 0.0f;
  device->upload(weights.data(), &given, sizeof given);
  device->download(&back, weights.data(), sizeof back);
  device->wait(device->mark());
  EXPECT_EQ(back, 7.0f);
}

TEST_F(emulated_device_queue, keeps_a_failure_for_whoever_waits_and_does_nothing_after_it) {
  const auto device = open_emulated(2);
  const refuses_large_margins model;
  device->bind(margin_loss(model), refuses_large_margins::name, {});
  const buffer<float> weights(*device, 1);
  const float large = 1.0f;
  float after = 0.0f;
  device->upload(weights.data(), &large, sizeof large);
  const std::uint64_t before = device->mark();
  device->wait(before);
  device->train(one_row(weights.data()));
  device->download(&after, weights.data(), sizeof after);
  EXPECT_THROW(device->wait(device->mark()), std::domain_error);
  EXPECT_EQ(after, 0.0f);
}

TEST_F(emulated_device_queue, ends_while_much_is_queued) {
  const logistic model;
  for (int i = 0; i < 20; ++i) {
    const auto device = open_emulated(2);
    device->bind(margin_loss(model), logistic::name, {});
    const buffer<float> weights(*device, 1);
    device->zero(weights.data(), sizeof(float));
    const margin_work work = one_row(weights.data(), 1000);
    for (int k = 0; k < 20; ++k) device->train(work);
  }
}

}  // namespace
