// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/layer_kernels.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "layer_checks.hpp"

// The products of layers. They are linear in each argument, so central differences are exact but for rounding, at any
// width. Sums of n products of numbers below 1/2 are within n * n / 4 * 2^-24 of the true ones, in any order and with
// or without fused products (Higham, Accuracy and Stability, 3.5); with the n of these tests that is below 1e-3 where
// n <= 250 for one sum, and in practice far less: rounding errors do not all have one sign.

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// A convolution of windows of `side` x `side` over planes of height x width values.
struct convolution {
  std::size_t planes, height, width, side, outputs;
  std::vector<std::uint32_t> tap{}, place{};

  convolution(std::size_t c, std::size_t h, std::size_t w, std::size_t k, std::size_t o)
      : planes(c), height(h), width(w), side(k), outputs(o) {
    for (std::size_t plane = 0; plane < c; ++plane)
      for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < k; ++j) tap.push_back(static_cast<std::uint32_t>((plane * h + i) * w + j));
    for (std::size_t i = 0; i + k <= h; ++i)
      for (std::size_t j = 0; j + k <= w; ++j) place.push_back(static_cast<std::uint32_t>(i * w + j));
  }
  tap_shape shape() const { return {outputs, tap, place}; }
  std::size_t inputs() const { return planes * height * width * layer_lanes; }
  std::size_t results() const { return outputs * place.size() * layer_lanes; }
  std::size_t weights() const { return outputs * tap.size(); }
};

class layers : public testing::TestWithParam<isa> {
 protected:
  const layer_kernels& kernels = layer_kernels_of(GetParam());
  std::mt19937_64 random{7};
};
INSTANTIATE_TEST_SUITE_P(isas, layers, testing::ValuesIn(instruction_sets_here()),
                         [](const auto& set) { return std::string(name_of(set.param)); });

// Shapes that fill the blocks of registers and shapes that do not.
const convolution shapes[] = {{1, 9, 9, 5, 10}, {3, 6, 7, 3, 7}, {10, 6, 6, 5, 20}, {2, 3, 3, 3, 1}, {1, 4, 5, 1, 4}};

TEST_P(layers, taps_are_the_sums_that_the_formula_says) {
  for (const convolution& c : shapes) {
    const lane_buffer x = random_lanes(random, c.inputs()), w = random_lanes(random, c.weights());
    const lane_buffer b = random_lanes(random, c.outputs);
    lane_buffer y(c.results());
    kernels.taps(c.shape(), w.data(), b.data(), x.data(), y.data());
    for (std::size_t o = 0; o < c.outputs; ++o) {
      for (std::size_t p = 0; p < c.place.size(); ++p) {
        for (std::size_t l = 0; l < layer_lanes; ++l) {
          double sum = static_cast<double>(b[o]);
          for (std::size_t k = 0; k < c.tap.size(); ++k)
            sum += static_cast<double>(w[k * c.outputs + o]) *
                   static_cast<double>(x[(c.place[p] + c.tap[k]) * layer_lanes + l]);
          ASSERT_NEAR(static_cast<double>(y[(o * c.place.size() + p) * layer_lanes + l]), sum, 1e-4);
        }
      }
    }
  }
}

TEST_P(layers, partials_of_taps_agree_with_differences) {
  for (const convolution& c : shapes) {
    lane_buffer x = random_lanes(random, c.inputs()), w = random_lanes(random, c.weights());
    lane_buffer b = random_lanes(random, c.outputs);
    const lane_buffer dy = random_lanes(random, c.results());
    expect_linear(
        random, x, w, b, dy, [&](lane_buffer& y) { kernels.taps(c.shape(), w.data(), b.data(), x.data(), y.data()); },
        true, [&](lane_buffer& dx) { kernels.taps_input(c.shape(), w.data(), dy.data(), dx.data()); },
        [&](lane_buffer& dw, lane_buffer& db) {
          kernels.taps_weights(c.shape(), x.data(), dy.data(), dw.data(), db.data());
        });
  }
}

TEST_P(layers, dense_sums_and_partials_agree_with_differences) {
  struct sizes {
    std::size_t rows, inputs, outputs;
  };
  for (const sizes& s : {sizes{16, 320, 50}, {64, 33, 7}, {32, 1, 1}, {16, 50, 10}, {48, 5, 1}}) {
    const std::size_t rows = s.rows, inputs = s.inputs, outputs = s.outputs;
    lane_buffer x = random_lanes(random, rows * inputs), w = random_lanes(random, inputs * outputs);
    lane_buffer b = random_lanes(random, outputs);
    const lane_buffer dy = random_lanes(random, rows * outputs);
    const auto results = [&](lane_buffer& y) {
      kernels.dense(rows, inputs, outputs, w.data(), b.data(), x.data(), y.data());
    };
    lane_buffer y(rows * outputs);
    results(y);
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t l = 0; l < rows; ++l) {
        double sum = static_cast<double>(b[o]);
        for (std::size_t k = 0; k < inputs; ++k)
          sum += static_cast<double>(w[k * outputs + o]) * static_cast<double>(x[k * rows + l]);
        ASSERT_NEAR(static_cast<double>(y[o * rows + l]), sum, 1e-4);
      }
    }
    expect_linear(
        random, x, w, b, dy, results, false,
        [&](lane_buffer& dx) { kernels.dense_input(rows, inputs, outputs, w.data(), dy.data(), dx.data()); },
        [&](lane_buffer& dw, lane_buffer& db) {
          kernels.dense_weights(rows, inputs, outputs, x.data(), dy.data(), dw.data(), db.data());
        });
  }
}

}  // namespace
