// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/cooccurrences.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/formats/ratings.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "words/pair_runs.hpp"

namespace {

using namespace hogwild;

using counted_pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

/// The formula, word by word.
counted_pairs naive_counts(const sparse_view& sentences, std::size_t window) {
  counted_pairs counts;
  row_cursor cursor(sentences);
  for (std::size_t r = 0; r < sentences.rows(); ++r) {
    const auto words = cursor.row(r).index;
    for (std::size_t i = 0; i < words.size(); ++i)
      for (std::size_t j = 0; j < words.size(); ++j)
        if (const std::size_t d = i < j ? j - i : i - j; d >= 1 && d <= window)
          counts[{words[i], words[j]}] += 1.0 / static_cast<double>(d);
  }
  return counts;
}

/// Rows as they stand, with their labels.
std::vector<std::tuple<std::uint32_t, std::uint32_t, double>> rows_in(const sparse_view& rows) {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, double>> all;
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const auto row = cursor.row(r);
    all.emplace_back(row.index[0], row.index[1], rows.label[r]);
  }
  return all;
}

std::string text_of_words(std::size_t lines, std::size_t vocabulary, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  for (std::size_t line = 0; line < lines; ++line, text += "\n")
    for (std::size_t k = random() % 12; k > 0; --k)
      text += "w" + std::to_string(std::min(random() % vocabulary, random() % vocabulary)) + " ";
  return text;
}

TEST(pair_counts, words_come_back_from_keys) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 1000; ++k) {
    const auto a = static_cast<std::uint32_t>(random() >> (random() % 32)), b = static_cast<std::uint32_t>(random());
    EXPECT_EQ((detail::pair_count{detail::pair_count::key_of(a, b), 1}.words()), (std::array{a, b}));
  }
}

TEST(cooccurrences, are_those_of_the_formula) {
  const corpus text = read_corpus(text_of_words(300, 40, 1), "text", {.min_count = 2});
  const std::size_t words = text.words.size();
  for (const std::size_t window : {1u, 3u, 10u, 1000u}) {
    const counted_pairs expected = naive_counts(text.rows.view(), window);
    const sparse_dataset counted = count_cooccurrences(text.rows.view(), {.window = window});
    EXPECT_EQ(counted.rows(), expected.size());
    EXPECT_EQ(counted.features(), 2 * words);
    EXPECT_EQ(count_users(counted.view().original), words);
    std::vector<std::uint32_t> degree(2 * words);
    for (const auto& [word, other, label] : rows_in(counted.view())) {
      ++degree[word], ++degree[other];
      // Each of at most 300 * 12 numbers is rounded by 2^-21.
      EXPECT_NEAR(std::exp(label), expected.at({word, other - words}), 3600 * 0x1p-21);
    }
    EXPECT_TRUE(std::ranges::equal(degree, counted.view().degree));
  }
}

// 3 MB of pairs, of which 1 MiB may stay in memory, by as many threads as there are: the same rows in the same order.
TEST(cooccurrences, are_the_same_for_any_memory_and_threads) {
  const corpus text = read_corpus(text_of_words(10'000, 4000, 2), "text", {.min_count = 1});
  const test::scratch_folder folder;
  const auto expected = rows_in(count_cooccurrences(text.rows.view(), {.threads = 1}).view());
  ASSERT_GT(expected.size(), 200'000u);
  for (const std::size_t threads : {1u, 3u})
    for (const std::uint64_t memory : {std::uint64_t{1} << 21, std::uint64_t{1} << 32}) {
      const sparse_dataset counted =
          count_cooccurrences(text.rows.view(), {.threads = threads, .scratch = folder.path(), .memory = memory});
      EXPECT_EQ(rows_in(counted.view()), expected) << threads << " " << memory;
    }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// The mean place of a word's rows among all is that of any: (n - 1) / 2, with a deviation of n / sqrt(12 k) for k of
// them; 6 deviations are exceeded once in 500 million times.
TEST(cooccurrences, stand_in_an_order_as_good_as_random) {
  const corpus text = read_corpus(text_of_words(20'000, 2000, 5), "text", {.min_count = 1});
  const auto rows = rows_in(count_cooccurrences(text.rows.view(), {}).view());
  std::map<std::uint32_t, std::pair<double, double>> places;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    auto& [sum, count] = places[std::get<0>(rows[r])];
    sum += static_cast<double>(r), ++count;
  }
  const auto n = static_cast<double>(rows.size());
  for (const auto& [word, place] : places) {
    if (place.second < 30) continue;
    EXPECT_NEAR(place.first / place.second, (n - 1) / 2, 6 * n / std::sqrt(12 * place.second)) << word;
  }
}

TEST(cooccurrences, need_neighbours) {
  const corpus apart = read_corpus("a\nb\nc a\n", "text", {.min_count = 2});
  EXPECT_NE(test::message_of<input_error>([&] { count_cooccurrences(apart.rows.view(), {}); }).find("nothing to learn"),
            std::string::npos);
  for (const std::size_t window : {0u, 1001u})
    EXPECT_THROW(count_cooccurrences(apart.rows.view(), {.window = window}), config_error);
}

}  // namespace
