// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/sampler.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace hogwild;

namespace {

std::vector<std::uint64_t> all_of(const feistel_permutation& p) {
  std::vector<std::uint64_t> out(p.size());
  for (std::uint64_t i = 0; i < p.size(); ++i) out[i] = p(i);
  return out;
}

bool is_permutation_of_numbers(std::vector<std::uint64_t> values) {
  std::ranges::sort(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != i) return false;
  }
  return true;
}

TEST(feistel_permutation, reaches_every_number_once_for_small_and_awkward_sizes) {
  for (std::uint64_t n = 0; n < 300; ++n) {
    EXPECT_TRUE(is_permutation_of_numbers(all_of({n, 5, n}))) << n;
  }
  for (const std::uint64_t n : {1023u, 1024u, 1025u, 4097u, 65'537u}) {
    EXPECT_TRUE(is_permutation_of_numbers(all_of({n, 5, 1}))) << n;
  }
}

RC_GTEST_PROP(feistel_permutation, is_a_permutation, (std::uint64_t seed, std::uint64_t stream)) {
  const auto n = *rc::gen::inRange<std::uint64_t>(1, 5000);
  RC_ASSERT(is_permutation_of_numbers(all_of({n, seed, stream})));
}

TEST(feistel_permutation, differs_by_seed_and_by_stream) {
  // Two random permutations of 100 numbers are equal with probability 1 / 100! < 1e-157.
  const auto base = all_of({100, 1, 1});
  EXPECT_EQ(base, all_of({100, 1, 1}));
  EXPECT_NE(base, all_of({100, 2, 1}));
  EXPECT_NE(base, all_of({100, 1, 2}));
}

TEST(feistel_permutation, sends_every_place_everywhere_equally_often) {
  // The new positions of three places of 20 over 20,000 seeds: each chi-square has 19 degrees of freedom, and exceeds
  // 19 + 2 sqrt(19 * 15.5) + 31 = 84.4 with probability below e^-15.5 = 1.9e-7, together 5.6e-7.
  constexpr std::size_t n = 20, seeds = 20'000;
  for (const std::uint64_t place : {0u, 7u, 19u}) {
    std::array<double, n> count{};
    for (std::uint64_t seed = 0; seed < seeds; ++seed) ++count[feistel_permutation(n, seed, 3)(place)];
    double chi = 0.0;
    for (const double c : count) chi += (c - 1000.0) * (c - 1000.0) / 1000.0;
    EXPECT_LT(chi, 84.4) << "place " << place;
  }
}

std::vector<std::size_t> rows_of(row_order order, std::size_t rows, std::uint64_t seed, std::uint64_t pass) {
  const row_sampler sampler(order, rows, seed, pass);
  std::vector<std::size_t> out(rows);
  for (std::size_t i = 0; i < rows; ++i) out[i] = sampler(i);
  return out;
}

TEST(row_sampler, keeps_the_sequence_in_chunked_order) {
  std::vector<std::size_t> sequence(50);
  std::iota(sequence.begin(), sequence.end(), 0u);
  EXPECT_EQ(rows_of(row_order::chunked, 50, 9, 2), sequence);
}

TEST(row_sampler, draws_a_fresh_permutation_each_pass) {
  const auto first = rows_of(row_order::permuted, 500, 9, 1), second = rows_of(row_order::permuted, 500, 9, 2);
  EXPECT_TRUE(is_permutation_of_numbers({first.begin(), first.end()}));
  EXPECT_TRUE(is_permutation_of_numbers({second.begin(), second.end()}));
  EXPECT_NE(first, second);
  EXPECT_EQ(first, rows_of(row_order::permuted, 500, 9, 1));
}

TEST(row_sampler, draws_with_replacement) {
  // 10,000 draws miss a fraction of 1/e: 3,679 rows with a deviation below 32 (balls into bins); 6 deviations each way
  // are exceeded with probability 2e-9.
  auto rows = rows_of(row_order::replacement, 10'000, 9, 1);
  EXPECT_NE(rows, rows_of(row_order::replacement, 10'000, 9, 2));
  EXPECT_TRUE(std::ranges::all_of(rows, [](std::size_t r) { return r < 10'000; }));
  std::ranges::sort(rows);
  const auto missed = rows.end() - std::unique(rows.begin(), rows.end());
  EXPECT_NEAR(static_cast<double>(missed), 10'000 / 2.718281828, 6 * 32.0);
}

}  // namespace
