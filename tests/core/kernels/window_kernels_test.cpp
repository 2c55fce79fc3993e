// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/window_kernels.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr float unwritten = 42.0f;

/// A window of random numbers; the rows of the inputs stand apart from each other.
struct window {
  std::size_t inputs, outputs, width;
  std::vector<float> a, b, da, db, slopes;
  std::vector<const float*> rows;
  std::vector<float*> gradients;

  window(std::mt19937_64& random, std::size_t m, std::size_t n, std::size_t d)
      : inputs(m),
        outputs(n),
        width(d),
        a(random_numbers(random, 2 * m * d)),
        b(random_numbers(random, n * d)),
        da(random_numbers(random, 2 * m * d)),
        db(n * d + 1, unwritten),
        slopes((m * n / window_lanes + 2) * window_lanes, unwritten) {
    for (std::size_t i = 0; i < m; ++i) rows.push_back(&a[2 * i * d]), gradients.push_back(&da[2 * i * d]);
  }
  double x(std::size_t i, std::size_t k) const { return static_cast<double>(rows[i][k]); }
  double y(std::size_t j, std::size_t k) const { return static_cast<double>(b[j * width + k]); }
};

/// Calls f(kernels, window) for every instruction set and windows of all small shapes.
template <class F>
void for_windows(const F& f) {
  for (const isa set : instruction_sets_here()) {
    SCOPED_TRACE(std::string(name_of(set)));
    std::mt19937_64 random(5);
    for (std::size_t m = 1; m <= 20; ++m) {
      for (std::size_t n = 1; n <= 16; ++n) {
        window w(random, m, n, window_lanes * (1 + random() % 8));
        f(window_kernels_of(set), w);
      }
    }
  }
}

TEST(window_kernels, scores_are_the_dots_of_all_pairs) {
  for_windows([](const window_kernels& kernels, window& w) {
    kernels.scores(w.rows.data(), w.inputs, w.b.data(), w.outputs, w.width, w.slopes.data());
    for (std::size_t i = 0; i < w.inputs; ++i) {
      for (std::size_t j = 0; j < w.outputs; ++j) {
        exact_sum score;
        for (std::size_t k = 0; k < w.width; ++k) score.add(w.x(i, k) * w.y(j, k));
        expect_near(w.slopes[i * w.outputs + j], score);
      }
    }
    ASSERT_EQ(w.slopes[w.inputs * w.outputs], unwritten);
  });
}

TEST(window_kernels, slopes_are_what_the_loss_changes_with_a_score) {
  for (const isa set : instruction_sets_here()) {
    SCOPED_TRACE(std::string(name_of(set)));
    for (const auto [outputs, seen] :
         {std::array{1u, 1u}, {3u, 1u}, {6u, 1u}, {16u, 1u}, {1u, 0u}, {6u, 0u}, {11u, 4u}, {20u, 17u}, {5u, 5u}}) {
      constexpr std::size_t inputs = 7;
      std::vector<float> at(inputs * outputs + window_lanes, 0.0f);
      std::mt19937_64 random(9);
      std::uniform_real_distribution<float> scores(-20.0f, 20.0f);
      for (float& x : at) x = scores(random);
      at[1 % outputs] = 1e30f, at[outputs] = -1e30f;
      const std::vector<float> before = at;
      window_kernels_of(set).slopes(at.data(), inputs, outputs, seen);
      for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t j = 0; j < outputs; ++j) {
          const double sigma = 1.0 / (1.0 + std::exp(-static_cast<double>(before[i * outputs + j])));
          ASSERT_NEAR(static_cast<double>(at[i * outputs + j]), sigma - (j < seen ? 1.0 : 0.0), 1e-6);
        }
      }
    }
  }
}

TEST(window_kernels, gradients_are_the_two_products) {
  for_windows([](const window_kernels& kernels, window& w) {
    std::mt19937_64 random(w.inputs);
    const std::vector<float> before = w.da, g = random_numbers(random, w.inputs * w.outputs);
    kernels.gradients(w.rows.data(), w.inputs, w.b.data(), w.outputs, w.width, g.data(), w.gradients.data(),
                      w.db.data());
    const auto slope = [&](std::size_t i, std::size_t j) { return static_cast<double>(g[i * w.outputs + j]); };
    for (std::size_t k = 0; k < w.width; ++k) {
      for (std::size_t i = 0; i < w.inputs; ++i) {
        const std::size_t place = 2 * i * w.width + k;
        exact_sum of_x;
        of_x.add(static_cast<double>(before[place]));
        for (std::size_t j = 0; j < w.outputs; ++j) of_x.add(slope(i, j) * w.y(j, k));
        expect_near(w.da[place], of_x, 1);
        ASSERT_EQ(w.da[place + w.width], before[place + w.width]) << "beside the row";
      }
      for (std::size_t j = 0; j < w.outputs; ++j) {
        exact_sum of_y;
        for (std::size_t i = 0; i < w.inputs; ++i) of_y.add(slope(i, j) * w.x(i, k));
        expect_near(w.db[j * w.width + k], of_y);
      }
    }
    ASSERT_EQ(w.db.back(), unwritten);
  });
}

TEST(window_kernels, the_mean_is_that_of_the_rows) {
  for_windows([](const window_kernels& kernels, window& w) {
    std::vector<float> mean(w.width + 1, unwritten);
    kernels.mean(w.rows.data(), w.inputs, w.width, mean.data());
    for (std::size_t k = 0; k < w.width; ++k) {
      exact_sum expected;
      for (std::size_t i = 0; i < w.inputs; ++i) expected.add(w.x(i, k) / static_cast<double>(w.inputs));
      expect_near(mean[k], expected, 2);
    }
    ASSERT_EQ(mean.back(), unwritten);
  });
}

TEST(window_kernels, spread_adds_one_run_to_each_row) {
  for_windows([](const window_kernels& kernels, window& w) {
    std::mt19937_64 random(w.inputs);
    const std::vector<float> before = w.da, run = random_numbers(random, w.width);
    constexpr double factor = 0.375;
    kernels.spread(w.gradients.data(), w.inputs, w.width, static_cast<float>(factor), run.data());
    for (std::size_t i = 0; i < w.inputs; ++i) {
      for (std::size_t k = 0; k < w.width; ++k) {
        const std::size_t place = 2 * i * w.width + k;
        exact_sum expected;
        for (const double x : {static_cast<double>(before[place]), factor * static_cast<double>(run[k])})
          expected.add(x);
        expect_near(w.da[place], expected, 1);
        ASSERT_EQ(w.da[place + w.width], before[place + w.width]) << "beside the row";
      }
    }
  });
}

}  // namespace
