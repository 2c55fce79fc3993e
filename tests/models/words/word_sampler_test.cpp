// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/word_sampler.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/formats/corpus.hpp>

namespace {

using namespace hogwild;

TEST(word_sampler, frequent_words_are_kept_as_rarely_as_their_fraction_says) {
  const std::vector<std::uint32_t> counts{9000, 900, 90, 10};
  const word_sampler words(counts, 0.01);
  for (std::size_t w = 0; w < counts.size(); ++w) {
    const double ratio = 0.01 * 10000.0 / counts[w];
    EXPECT_FLOAT_EQ(words.keep(w), static_cast<float>(std::min(1.0, std::sqrt(ratio) + ratio)));
  }
  EXPECT_EQ(words.keep(3), 1.0f);
  EXPECT_EQ(word_sampler(counts, 0.0).keep(0), 1.0f);
}

// In n draws a word of probability p is drawn np times, with a standard deviation of at most sqrt(np). The random
// numbers are always the same here; with others, a word would exceed 6 deviations in less than 2e-9 of cases, and one
// of 7 words in less than 2e-8.
TEST(word_sampler, words_are_drawn_by_the_three_quarter_power_of_their_count) {
  const std::vector<std::uint32_t> counts{50000, 1000, 1000, 0, 81, 16, 1};
  const word_sampler words(counts, 1e-3);
  double sum = 0;
  for (const std::uint32_t n : counts) sum += std::pow(n, 0.75);
  constexpr std::uint64_t draws = 1 << 20;
  std::vector<double> drawn(counts.size());
  const counter_random random(4, 2);
  for (std::uint64_t i = 0; i < draws; ++i) drawn[words.draw(random.bits(i))] += 1;
  for (std::size_t w = 0; w < counts.size(); ++w) {
    const double expected = static_cast<double>(draws) * std::pow(counts[w], 0.75) / sum;
    EXPECT_NEAR(drawn[w], expected, 6 * std::sqrt(expected)) << w;
  }
}

TEST(word_sampler, a_vocabulary_of_one_word_and_of_equal_words) {
  const counter_random random(4, 3);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(word_sampler(std::vector<std::uint32_t>{7}, 0).draw(random.bits(i)), 0u);
    EXPECT_LT(word_sampler(std::vector<std::uint32_t>{0, 0, 0}, 0).draw(random.bits(i)), 3u);
  }
}

TEST(word_sampler, occurrences_are_counted_where_nobody_has) {
  const corpus text = read_corpus("a b a c a b", "text", {.min_count = 1});
  sparse_view rows = text.rows.view();
  const std::vector<std::uint32_t> expected{3, 2, 1};
  EXPECT_EQ(occurrences(rows), expected);
  rows.degree = {};
  EXPECT_EQ(occurrences(rows), expected);
}

}  // namespace
