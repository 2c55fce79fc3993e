// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/half_kernels.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_rows.hpp"
#include "support/same_bits.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// Every half, and floats of any bits: an odd number of both, so that runs do not end with a vector.
std::vector<half> all_halves() {
  std::vector<half> all;
  for (unsigned h = 0; h < 0x10000u; ++h) all.push_back(static_cast<half>(h));
  all.push_back(half{});
  return all;
}
std::vector<float> any_floats() {
  std::mt19937 random{3};
  std::vector<float> all;
  for (const half h : all_halves()) all.push_back(to_float(h));
  for (int i = 0; i < 100'000; ++i) all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  return all;
}

TEST(half_kernels, round_as_one_number_is_rounded) {
  const auto from = any_floats();
  for (const isa set : instruction_sets_here()) {
    std::vector<half> to(from.size());
    half_kernels_of(set).round(from.data(), from.size(), to.data());
    for (std::size_t i = 0; i < from.size(); ++i) ASSERT_EQ(to[i], to_half(from[i])) << name_of(set) << ", " << from[i];
  }
}

/// The exponent e of a half 2^e * 1.f; of zero and of those below 2^-14, which are multiples of 2^-24 too, -14.
int exponent_of(half h) {
  return std::max(std::ilogb(to_float(h)), -14);
}

// The difference of two halves is exact in float if their exponents are at most thirteen apart; others are rounded.
TEST(half_kernels, gains_are_the_differences_of_the_numbers_to_the_same_bits_everywhere) {
  std::vector<half> before;
  for (const half h : all_halves())
    if (std::isfinite(to_float(h))) before.push_back(h);
  std::vector<half> now(before.size());
  std::mt19937 random{4};
  for (half& h : now) h = before[random() % before.size()];
  std::vector<float> first;
  for (const isa set : instruction_sets_here()) {
    std::vector<float> gain(now.size());
    half_kernels_of(set).gains(now.data(), before.data(), now.size(), gain.data());
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double exact = static_cast<double>(to_float(now[i])) - static_cast<double>(to_float(before[i]));
      ASSERT_EQ(gain[i], static_cast<float>(exact));
      if (std::abs(exponent_of(now[i]) - exponent_of(before[i])) <= 13) {
        ASSERT_EQ(static_cast<double>(gain[i]), exact) << to_float(now[i]) << " - " << to_float(before[i]);
      }
    }
    if (set == isa::scalar) first = gain;
    EXPECT_TRUE(same_bits(gain, first)) << name_of(set);
  }
}

}  // namespace
