// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/half.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace {

using hogwild::half;
using hogwild::to_float;
using hogwild::to_half;

constexpr float infinity = std::numeric_limits<float>::infinity();

static_assert(to_float(to_half(1.0f)) == 1.0f);
static_assert(to_half(65504.0f) == half{0x7bff});

half bits(unsigned pattern) {
  return static_cast<half>(pattern);
}
unsigned pattern(half h) {
  return static_cast<std::uint16_t>(h);
}

/// By the standard: sign, exponent biased by 15, ten bits of fraction.
double by_definition(unsigned h) {
  const double sign = (h & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>(h >> 10 & 0x1fu);
  const double fraction = static_cast<double>(h & 0x3ffu) / 1024.0;
  if (exponent == 0) return sign * std::ldexp(fraction, -14);
  if (exponent == 31) return fraction == 0.0 ? sign * static_cast<double>(infinity) : std::nan("");
  return sign * std::ldexp(1.0 + fraction, exponent - 15);
}

TEST(half, every_pattern_becomes_the_number_it_stands_for) {
  for (unsigned h = 0; h < 0x10000u; ++h) {
    const float value = to_float(bits(h));
    const double expected = by_definition(h);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << h;
    } else {
      EXPECT_EQ(static_cast<double>(value), expected) << h;
    }
    EXPECT_EQ(std::signbit(value), (h & 0x8000u) != 0) << h;
  }
}

TEST(half, every_number_comes_back) {
  for (unsigned h = 0; h < 0x10000u; ++h) {
    const float value = to_float(bits(h));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(to_float(to_half(value)))) << h;
    } else {
      EXPECT_EQ(pattern(to_half(value)), h);
    }
  }
}

// Between two neighbours: the middle is rounded to the even one, a number just off the middle to the nearer one.
TEST(half, rounds_to_nearest_and_ties_to_even) {
  for (unsigned h = 0; h < 0x7bffu; ++h) {
    const float middle = (to_float(bits(h)) + to_float(bits(h + 1))) / 2;  // exact: one bit more
    EXPECT_EQ(pattern(to_half(middle)), h + (h & 1u));
    EXPECT_EQ(pattern(to_half(std::nextafter(middle, 0.0f))), h);
    EXPECT_EQ(pattern(to_half(std::nextafter(middle, infinity))), h + 1);
    EXPECT_EQ(pattern(to_half(-middle)), (h + (h & 1u)) | 0x8000u);
  }
}

TEST(half, what_is_too_large_is_infinite) {
  EXPECT_EQ(to_half(std::nextafter(65520.0f, 0.0f)), bits(0x7bff));
  EXPECT_EQ(to_half(65520.0f), bits(0x7c00));
  EXPECT_EQ(to_half(-65520.0f), bits(0xfc00));
  EXPECT_EQ(to_half(std::numeric_limits<float>::max()), bits(0x7c00));
  EXPECT_EQ(to_half(infinity), bits(0x7c00));
}

TEST(half, what_is_too_small_is_zero_with_its_sign) {
  EXPECT_EQ(to_half(0x1p-25f), bits(0));
  EXPECT_EQ(to_half(std::nextafter(0x1p-25f, 1.0f)), bits(1));
  EXPECT_EQ(to_half(-std::numeric_limits<float>::denorm_min()), bits(0x8000));
  EXPECT_EQ(to_half(-0.0f), bits(0x8000));
}

}  // namespace
