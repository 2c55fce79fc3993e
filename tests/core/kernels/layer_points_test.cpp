// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/layer_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "layer_checks.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

class points : public testing::TestWithParam<isa> {
 protected:
  const layer_kernels& kernels = layer_kernels_of(GetParam());
  std::mt19937_64 random{11};
};
INSTANTIATE_TEST_SUITE_P(isas, points, testing::ValuesIn(instruction_sets_here()),
                         [](const auto& set) { return std::string(name_of(set.param)); });

TEST_P(points, relu_keeps_what_is_positive_and_lets_its_partials_pass) {
  const lane_buffer x = random_lanes(random, 160);
  lane_buffer y = x, dy = random_lanes(random, 160);
  const lane_buffer given = dy;
  kernels.relu(y.size(), y.data());
  kernels.relu_input(y.size(), y.data(), dy.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(y[i], std::max(x[i], 0.0f));
    EXPECT_EQ(dy[i], x[i] > 0 ? given[i] : 0.0f);
  }
}

// Below the width h, no two values of a window change places: they are multiples of 1/8, and h is 1/64.
TEST_P(points, max_pool_and_its_partials_also_where_values_are_equal_and_sides_odd) {
  for (const pool_shape s : {pool_shape{2, 6, 4}, {1, 5, 7}, {3, 2, 2}, {2, 3, 2}}) {
    const std::size_t inputs = s.planes * s.height * s.width * layer_lanes;
    const std::size_t windows = s.planes * (s.height / 2) * (s.width / 2) * layer_lanes;
    lane_buffer x(inputs), y(windows), dx = random_lanes(random, inputs);
    for (std::size_t i = 0; i < inputs; ++i) x[i] = static_cast<float>(random() % 1000) / 8.0f;
    const lane_buffer dy = random_lanes(random, windows);
    kernels.max_pool(s, x.data(), y.data());
    kernels.max_pool_input(s, x.data(), y.data(), dy.data(), dx.data());
    const auto largest = [&] {
      lane_buffer now(windows);
      kernels.max_pool(s, x.data(), now.data());
      return inner(now, dy);
    };
    lane_buffer in_place = x;
    kernels.max_pool_input(s, in_place.data(), y.data(), dy.data(), in_place.data());
    for (std::size_t i = 0; i < inputs; ++i) ASSERT_EQ(in_place[i], dx[i]) << "dx may be x";
    expect_partials(random, x, dx, 1.0f / 64, 1e-3, largest, 60);

    // All equal: each window's partial goes to one value, so that the sums stay the same.
    std::fill_n(x.data(), inputs, 1.5f);
    kernels.max_pool(s, x.data(), y.data());
    kernels.max_pool_input(s, x.data(), y.data(), dy.data(), dx.data());
    double given = 0, passed = 0;
    std::size_t receivers = 0;
    for (std::size_t i = 0; i < windows; ++i) given += static_cast<double>(dy[i]);
    for (std::size_t i = 0; i < inputs; ++i) passed += static_cast<double>(dx[i]), receivers += dx[i] != 0.0f;
    EXPECT_NEAR(passed, given, 1e-9 * static_cast<double>(windows));
    EXPECT_LE(receivers, windows);
  }
}

// A fraction of n = 16 * 4096 draws of probability q is beyond 5.5 standard deviations of q with probability < 1e-7.
TEST_P(points, dropout_masks_depend_on_key_and_place_alone_and_keep_the_mean) {
  constexpr std::size_t rows = 16, values = 4096;
  std::vector<std::uint64_t> key(rows);
  for (std::uint64_t& k : key) k = random();
  for (const float rate : {0.5f, 0.1f}) {
    lane_buffer mask(rows * values);
    kernels.dropout_mask(rows, key.data(), 0, values, rate, mask.data());
    std::size_t dropped = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      ASSERT_TRUE(mask[i] == 0.0f || mask[i] == 1.0f / (1.0f - rate));
      dropped += mask[i] == 0.0f;
    }
    const double n = rows * values, q = static_cast<double>(rate);
    EXPECT_NEAR(static_cast<double>(dropped) / n, q, 5.5 * std::sqrt(q * (1 - q) / n));

    lane_buffer part(rows * 8);
    kernels.dropout_mask(rows, key.data(), 100, 8, rate, part.data());
    for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], mask[100 * rows + i]);
    lane_buffer plain(rows * values);
    layer_kernels_of(isa::scalar).dropout_mask(rows, key.data(), 0, values, rate, plain.data());
    for (std::size_t i = 0; i < mask.size(); ++i) ASSERT_EQ(mask[i], plain[i]) << "the same on every instruction set";

    lane_buffer y = random_lanes(random, rows * 24);
    const lane_buffer before = y;
    kernels.apply_mask(rows, 8, 3, part.data(), y.data());
    for (std::size_t v = 0; v < 24; ++v)
      for (std::size_t l = 0; l < rows; ++l) EXPECT_EQ(y[v * rows + l], before[v * rows + l] * part[v / 3 * rows + l]);
  }
}

TEST_P(points, log_softmax_is_right_and_its_partials_agree_with_differences) {
  for (const std::size_t classes : {std::size_t{2}, std::size_t{10}}) {
    constexpr std::size_t rows = 32;
    lane_buffer scores = random_lanes(random, classes * rows), label(rows), example_weight = random_lanes(random, rows);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] *= 8.0f;
    for (std::size_t l = 0; l < rows; ++l) label[l] = static_cast<float>(random() % classes);
    lane_buffer y(scores.size()), loss(rows), best(rows), dy(scores.size());
    const auto weighted = [&] {
      y = scores;
      kernels.log_softmax(rows, classes, label.data(), y.data(), loss.data(), best.data());
      return inner(loss, example_weight);
    };
    weighted();
    for (std::size_t l = 0; l < rows; ++l) {
      double sum = 0;
      std::size_t top = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        sum += std::exp(static_cast<double>(scores[c * rows + l]));
        if (scores[c * rows + l] > scores[top * rows + l]) top = c;
      }
      const auto at_label = static_cast<double>(scores[static_cast<std::size_t>(label[l]) * rows + l]);
      EXPECT_NEAR(static_cast<double>(loss[l]), std::log(sum) - at_label, 1e-5);
      EXPECT_EQ(best[l], static_cast<float>(top));
    }
    kernels.log_softmax_input(rows, classes, label.data(), example_weight.data(), y.data(), dy.data());
    // The error of central differences is h^2 / 6 times the third derivative, which is below 1/8: 4e-6 at h = 1/64;
    // rounding adds at most 2^-24 * 8 / h = 3e-5.
    expect_partials(random, scores, dy, 1.0f / 64, 1e-4, weighted);
  }
}

TEST_P(points, log_softmax_of_huge_scores_stays_finite) {
  constexpr std::size_t rows = 16, classes = 3;
  lane_buffer y(rows * classes), label(rows), loss(rows), best(rows);
  for (std::size_t l = 0; l < rows; ++l) y[l] = 3e38f, y[rows + l] = -3e38f;
  kernels.log_softmax(rows, classes, label.data(), y.data(), loss.data(), best.data());
  for (std::size_t l = 0; l < rows; ++l) EXPECT_EQ(loss[l], 0.0f);
}

TEST_P(points, a_lane_is_filled_and_its_neighbours_are_not) {
  lane_buffer x(5 * 16);
  kernels.fill_lane(5, 16, 2.0f, x.data() + 3);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], i % 16 == 3 ? 2.0f : 0.0f);
}

TEST(layer_kernels, automatic_is_a_set_that_is_there) {
  EXPECT_TRUE(has_layer_kernels());
  const layer_kernels& chosen = layer_kernels_of(isa::automatic);
  const auto sets = instruction_sets_here();
  EXPECT_EQ(&chosen, &layer_kernels_of(sets.back()));
}

}  // namespace
