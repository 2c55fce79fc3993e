// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/vector_math.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace {

using hogwild::square_roots;
using hogwild::vector_exp;
using hogwild::vector_log1p;

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float largest = 88.7228317f;    // e^x is a float
constexpr float smallest = -103.972076f;  // e^x is not nearer to 0 than to the smallest float

/// Distance of two floats around e in the last place.
double last_place(double e) {
  return e < 0x1p-126 ? 0x1p-149 : std::ldexp(1.0, std::ilogb(e) - 23);
}

double error_at(float x) {
  const double e = std::exp(static_cast<double>(x));
  return std::abs(static_cast<double>(vector_exp(x)) - e) / last_place(e);
}

// Every 1009th float of either sign up to the limits: all exponents, and no pattern in the fractions.
TEST(vector_exp, within_one_unit_in_the_last_place) {
  constexpr std::uint32_t stride = 1009, sign = 0x80000000u;
  double worst = 0;
  for (std::uint32_t bits = 0; bits <= std::bit_cast<std::uint32_t>(largest); bits += stride) {
    worst = std::max(worst, error_at(std::bit_cast<float>(bits)));
  }
  for (std::uint32_t bits = sign; bits <= std::bit_cast<std::uint32_t>(smallest); bits += stride) {
    worst = std::max(worst, error_at(std::bit_cast<float>(bits)));
  }
  EXPECT_LE(worst, 1.0);
  EXPECT_GT(worst, 0.4);  // that something was measured: no rounding to float is better than 0.5 everywhere
}

TEST(vector_log1p, within_a_unit_and_a_half_in_the_last_place) {
  for (float x = 0x1p-30f; x <= 1.0f; x = std::nextafter(x * 1.0001f, 2.0f)) {
    const double exact = std::log1p(static_cast<double>(x));
    ASSERT_NEAR(vector_log1p(x), exact, 1.8e-7 * exact) << x;
  }
  EXPECT_EQ(vector_log1p(0.0f), 0.0f);
}

TEST(vector_exp, exact_at_zero) {
  EXPECT_EQ(vector_exp(0.0f), 1.0f);
  EXPECT_EQ(vector_exp(-0.0f), 1.0f);
}

TEST(vector_exp, the_ends_of_the_range) {
  EXPECT_LE(error_at(largest), 1.0);
  EXPECT_EQ(vector_exp(std::nextafter(largest, infinite)), infinite);
  EXPECT_EQ(vector_exp(1000.0f), infinite);
  EXPECT_EQ(vector_exp(std::numeric_limits<float>::max()), infinite);
  EXPECT_EQ(vector_exp(infinite), infinite);

  EXPECT_LE(error_at(smallest), 1.0);
  EXPECT_GT(vector_exp(-103.0f), 0.0f);
  EXPECT_EQ(vector_exp(-104.0f), 0.0f);
  EXPECT_EQ(vector_exp(std::numeric_limits<float>::lowest()), 0.0f);
  EXPECT_EQ(vector_exp(-infinite), 0.0f);
}

TEST(vector_exp, a_nan_stays_one) {
  EXPECT_TRUE(std::isnan(vector_exp(std::nanf(""))));
  EXPECT_TRUE(std::isnan(vector_exp(-std::nanf(""))));
  EXPECT_TRUE(std::isnan(vector_exp(std::numeric_limits<float>::signaling_NaN())));
}

TEST(square_roots, are_those_of_the_standard_library_to_the_bit) {
  std::vector<float> numbers = {0.0f,    -0.0f, 1.0f, 2.0f, 1e-45f, 3e-39f, 1e-8f, std::numeric_limits<float>::max(),
                                infinite};
  for (float x = 1e-30f; x < 1e30f; x *= 1.37f) numbers.push_back(x);
  for (std::size_t n = 0; n <= numbers.size(); ++n) {
    std::vector<float> roots = numbers;
    square_roots(std::span(roots).first(n));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(roots[i]),
                std::bit_cast<std::uint32_t>(i < n ? std::sqrt(numbers[i]) : numbers[i]))
          << numbers[i];
  }
  std::vector<double> wide = {2.0, 3.0, 5.0};
  square_roots(std::span(wide));
  EXPECT_EQ(wide, (std::vector<double>{std::sqrt(2.0), std::sqrt(3.0), std::sqrt(5.0)}));
  std::vector<float> below(4, -1.0f);
  square_roots(std::span(below));
  for (const float x : below) EXPECT_TRUE(std::isnan(x));
}

}  // namespace
