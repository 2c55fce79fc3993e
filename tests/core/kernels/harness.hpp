// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "guarded.hpp"
#include "support/random_rows.hpp"
#include "support/same_bits.hpp"

// Tests of kernels share this: all instruction sets give the same bits, and these are near the formula in double.

namespace hogwild::test {

using arrays_of_floats = std::vector<std::vector<float>>;

/// Calls made(set) for each instruction set here. All must return the same numbers, which are returned.
template <class Make>
arrays_of_floats same_everywhere(const Make& made) {
  arrays_of_floats first;
  for (const isa set : instruction_sets_here()) {
    SCOPED_TRACE(std::string(name_of(set)));
    const arrays_of_floats found = made(set);
    if (set == isa::scalar) first = found;
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(same_numbers(found[i], first[i])) << "array " << i;
  }
  return first;
}

/// Expects numbers near those of a formula. What the formula leaves at zero, padding for instance, must be zero.
inline void expect_near(const std::vector<float>& found, const std::vector<double>& expected, double bound) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(static_cast<double>(found[i]), expected[i], expected[i] == 0.0 ? 0.0 : bound) << "number " << i;
}

/// A sum of products. In single precision a sum of n products, rounded in any order and fused or not, is within n u /
/// (1 - n u) of sum |x|, where u = 2^-24 (Higham, Accuracy and Stability, 3.5); with n <= 300 that is below 1.0001 n u.
struct exact_sum {
  double value = 0, sizes = 0;
  std::size_t terms = 0;

  void add(double x) { value += x, sizes += std::abs(x), ++terms; }
};
/// `more`: how often the sum is rounded afterwards.
inline void expect_near(float found, const exact_sum& expected, std::size_t more = 0) {
  ASSERT_NEAR(static_cast<double>(found), expected.value,
              1.0001 * static_cast<double>(expected.terms + more) * 0x1p-24 * expected.sizes);
}

/// How a gradient g changes a parameter; `l2` is the part of l2 that its column applies.
struct exact_rule {
  bool adagrad;
  double step;

  void change(double& w, double& sum, double g, double l2 = 0.0) const {
    if (adagrad) {
      g += l2 * w;
      sum += g * g;
      w -= step * g / std::sqrt(sum + 1e-8);
    } else {
      w = (w - step * g) / (1 + step * l2);
    }
  }
};

/// The slope of a loss by a score: flat from 1 on and nowhere steep, so that parameters stay small.
template <class T>
constexpr T slope_of_score(T score) {
  return score > T(1) ? T(0) : std::max(T(-0.5), T(0.25) * (score - T(1)));
}

/// A fixture for rows of one kind.
template <class Kind>
struct on_rows : testing::Test {
  using index_type = typename Kind::index;
  using value_type = typename Kind::value;
  using batch_type = row_batch<index_type, value_type>;
  using rows_type = guarded_rows<index_type, value_type>;

  std::mt19937_64 random{11};

  /// 1 to batch_rows rows of at most so many entries.
  rows_type some_rows(std::size_t most, std::size_t columns, std::size_t skip, float scale = 1.0f) {
    return rows_type(random, 1 + random() % batch_rows, most, columns, skip, scale);
  }
};

/// Number k of each `models`.
inline std::vector<float> model_of(const std::vector<float>& all, std::size_t models, std::size_t k) {
  std::vector<float> one(all.size() / models);
  const float* from = all.data() + k;
  for (float& x : one) x = *from, from += models;
  return one;
}
/// Numbers that are not negative.
inline std::vector<float> random_sizes(std::mt19937_64& random, std::size_t n) {
  std::vector<float> sizes = random_numbers(random, n);
  for (float& x : sizes) x = std::abs(x);
  return sizes;
}

}  // namespace hogwild::test
