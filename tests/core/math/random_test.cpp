// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/random.hpp>

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

TEST(counter_random, is_a_function_of_seed_stream_and_counter) {
  constexpr counter_random a(7, 3), b(7, 3);
  static_assert(a.bits(11) == b.bits(11));
  EXPECT_EQ(a.bits(1'000'000), b.bits(1'000'000));
  EXPECT_NE(a.bits(11), a.bits(12));
  EXPECT_NE(a.bits(11), counter_random(8, 3).bits(11));
  EXPECT_NE(a.bits(11), counter_random(7, 4).bits(11));
}

TEST(counter_random, repeats_no_word_over_many_seeds_streams_and_counters) {
  // 64,000 words of 64 bits: chance of any two equal is below 64,000^2 / 2^65 < 2e-10.
  std::set<std::uint64_t> words;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      for (std::uint64_t i = 0; i < 160; ++i) words.insert(counter_random(seed, stream).bits(i));
    }
  }
  EXPECT_EQ(words.size(), 64'000u);
}

TEST(counter_random, uniform_fills_the_unit_interval_evenly) {
  // Chi-square over 100 cells with 100,000 draws has mean 99 and deviation sqrt(198) = 14.1. By Laurent and Massart
  // P(X > k + 2 sqrt(k t) + 2 t) <= e^-t; with k = 99 and t = 14 that is 201.5 and 8.3e-7. The draws are the same in
  // every run, so this fails always or never.
  constexpr std::size_t draws = 100'000, cells = 100;
  const counter_random random(42, 5);
  std::array<double, cells> count{};
  double sum = 0.0;
  for (std::size_t i = 0; i < draws; ++i) {
    const double x = random.uniform(i);
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    ++count[static_cast<std::size_t>(x * cells)];
    sum += x;
  }
  double chi = 0.0;
  for (const double c : count) chi += (c - 1000.0) * (c - 1000.0) / 1000.0;
  EXPECT_LT(chi, 201.5);
  // The mean deviates by 1 / sqrt(12 n) = 9.1e-4; 5.5 of these have probability 4e-8.
  EXPECT_NEAR(sum / draws, 0.5, 5.5 * 9.2e-4);
}

TEST(counter_random, below_stays_below_and_reaches_every_value) {
  // 1,000 draws from 10 values miss one with probability at most 10 * 0.9^1000 < 1e-44.
  const counter_random random(1, 2);
  std::array<int, 10> count{};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t x = random.below(i, 10);
    ASSERT_LT(x, 10u);
    ++count[x];
  }
  for (const int c : count) EXPECT_GT(c, 0);
  EXPECT_EQ(random.below(5, 1), 0u);
}

TEST(mix_bits, changes_half_of_the_output_bits_with_each_input_bit) {
  // Each of 64 * 64 pairs is counted over 512 words: mean 256, deviation 11.3; 7 deviations over 4,096 pairs fail with
  // probability 4,096 * 2.6e-12 = 1e-8.
  for (int in = 0; in < 64; ++in) {
    std::array<int, 64> flips{};
    for (std::uint64_t i = 0; i < 512; ++i) {
      const std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
      const std::uint64_t changed = mix_bits(x) ^ mix_bits(x ^ (std::uint64_t{1} << in));
      for (std::size_t out = 0; out < 64; ++out) flips[out] += static_cast<int>((changed >> out) & 1);
    }
    for (const int f : flips) EXPECT_NEAR(f, 256, 7 * 11.4);
  }
}

}  // namespace
