// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <hogwild/detail/embeddings/row_sums.hpp>
#include <hogwild/detail/embeddings/target_finder.hpp>
#include <hogwild/detail/embeddings/target_sampler.hpp>
#include <hogwild/detail/math/random.hpp>

#include "support/random_rows.hpp"
#include "support/toy_data.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

TEST(target_sampler, draws_in_proportion_to_a_power_of_the_counts) {
  const std::vector<std::uint32_t> counts{100, 0, 1, 16, 50, 7, 900};
  for (const double power : {0.0, 0.75, 1.0}) {
    const target_sampler sampler(counts.size(), counts, power);
    std::vector<double> mass, seen(counts.size());
    double total = 0.0;
    for (const std::uint32_t c : counts) total += mass.emplace_back(std::pow(std::max(c, 1u), power));
    constexpr std::size_t draws = 400'000;
    const counter_random random(3, 1);
    for (std::size_t k = 0; k < draws; ++k) ++seen[sampler.draw(random.bits(k))];
    double chi_square = 0.0;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      const double expected = draws * mass[t] / total;
      chi_square += (seen[t] - expected) * (seen[t] - expected) / expected;
      EXPECT_NEAR(static_cast<double>(sampler.rarity(t)), std::log(total / mass[t]), 1e-5);
    }
    EXPECT_LT(chi_square, 38.3) << "6 degrees of freedom: one in a million is above; the draws are the same always";
  }
}

TEST(known_targets, are_those_of_each_source_ascending_and_each_once) {
  // Columns 0 to 2 are sources, 3 to 6 targets.
  toy_rows rows;
  rows.columns = 7;
  using row = std::vector<std::uint32_t>;
  for (const row& r : {row{0, 5}, row{2, 3}, row{0, 3}, row{0, 5}, row{1}, row{2, 6}, row{4}, row{2, 3}})
    rows.push(r, std::vector<float>(r.size(), 1.0f), 1.0f);
  const csr_rows data = rows.csr();
  const known_targets known(data.view(), 3, 4);
  const auto of = [&](std::size_t source) {
    const auto all = known.of(source);
    return std::vector<std::uint32_t>(all.begin(), all.end());
  };
  EXPECT_EQ(of(0), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(of(1), std::vector<std::uint32_t>());
  EXPECT_EQ(of(2), (std::vector<std::uint32_t>{0, 3}));
  for (std::size_t source = 0; source < 3; ++source)
    for (std::uint32_t target = 0; target < 4; ++target)
      EXPECT_EQ(known.contains(source, target), std::ranges::count(of(source), target) > 0) << source << " " << target;
}

TEST(drawn_targets, know_all_places_of_a_target) {
  std::mt19937_64 random(9);
  drawn_targets drawn(100);
  for (int block = 0; block < 3; ++block) {
    drawn.clear();
    std::vector<std::uint32_t> given(100);
    for (std::uint32_t& t : given) drawn.add(t = static_cast<std::uint32_t>(random() % 60) * 1000);
    for (std::uint32_t t = 0; t < 60'000; t += 500) {
      std::vector<std::size_t> places, expected;
      drawn.for_places(t, [&](std::size_t place) { places.push_back(place); });
      for (std::size_t k = 0; k < given.size(); ++k)
        if (given[k] == t) expected.push_back(k);
      std::ranges::sort(places);
      EXPECT_EQ(places, expected);
    }
  }
}

TEST(row_sums, rows_that_are_named_several_times_are_emitted_once) {
  struct emitted {
    std::size_t offset;
    std::vector<float> sum;
    float examples;
  };
  std::vector<emitted> all;
  struct {
    std::vector<emitted>& to;
    void touched_block(std::size_t offset, std::span<const float> g, float examples) const {
      to.push_back({offset, {g.begin(), g.end()}, examples});
    }
  } const emit{all};
  row_sums sums(2);
  const std::vector<float> a{1, 2}, b{10, 20}, c{100, 200};
  sums.add(8, a, 1.0f);
  sums.add(2, b, 0.0f);
  sums.add(8, c, 0.0f);
  sums.add(8, b, 1.0f);
  sums.emit(emit);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].offset, 2u);
  EXPECT_EQ(all[0].sum, b);
  EXPECT_EQ(all[0].examples, 0.0f);
  EXPECT_EQ(all[1].offset, 8u);
  EXPECT_EQ(all[1].sum, (std::vector<float>{111, 222}));
  EXPECT_EQ(all[1].examples, 2.0f);
  all.clear();
  sums.emit(emit);
  EXPECT_TRUE(all.empty());
}

TEST(target_finder, finds_what_sorting_all_scores_finds) {
  constexpr std::size_t width = 16, count = 5003, most = 20;  // more than two pieces, and no multiple of 16
  static_assert(count > 2 * target_table::piece);
  std::mt19937_64 random(4);
  std::vector<float> rows = random_numbers(random, count * width), added = random_numbers(random, count);
  for (float& x : rows) x = std::round(x * 2.0f);  // so that many scores are equal
  for (float& x : added) x = std::round(x);
  for (const bool by_length : {false, true}) {
    const target_table table(rows, width, added, by_length, isa::scalar);
    target_finder finder(table, most);
    std::vector<std::vector<std::uint32_t>> left_out(target_finder::most_sources), wanted(target_finder::most_sources);
    std::vector<std::span<const std::uint32_t>> spans, wanted_spans;
    std::vector<std::vector<float>> sources;
    for (std::size_t i = 0; i < left_out.size(); ++i) {
      for (std::uint32_t t = 0; t < count; ++t)
        if (const auto drawn = random() % 700; drawn < 100)
          left_out[i].push_back(t);
        else if (drawn == 100)
          wanted[i].push_back(t);
      spans.emplace_back(left_out[i]);
      wanted_spans.emplace_back(wanted[i]);
      std::vector<float>& source = sources.emplace_back(random_numbers(random, width));
      for (float& x : source) x = std::round(x);
      std::ranges::copy(source, finder.source(sources.size() - 1).begin());
    }
    finder.find(spans, wanted_spans);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      std::vector<scored_target> all;
      for (std::uint32_t t = 0; t < count; ++t) {
        if (std::ranges::binary_search(left_out[i], t)) continue;
        float square = 0.0f, score = 0.0f;
        for (std::size_t k = 0; k < width; ++k) square += rows[t * width + k] * rows[t * width + k];
        const float inverse = by_length && square > 0.0f ? 1.0f / std::sqrt(square) : 1.0f;
        for (std::size_t k = 0; k < width; ++k) score = std::fma(sources[i][k], rows[t * width + k] * inverse, score);
        all.push_back({t, score + added[t]});
      }
      double above = 0.0;
      for (const scored_target& one : all) {
        if (!std::ranges::binary_search(wanted[i], one.target)) continue;
        for (const scored_target& other : all)
          if (other.target != one.target) above += other.score > one.score ? 1.0 : other.score == one.score ? 0.5 : 0.0;
      }
      EXPECT_EQ(finder.above(i), above) << "source " << i;
      std::ranges::stable_sort(all, std::ranges::greater(), &scored_target::score);
      const auto best = finder.best(i);
      ASSERT_EQ(best.size(), most);
      for (std::size_t k = 0; k < most; ++k) {
        EXPECT_EQ(best[k].target, all[k].target) << "source " << i << ", place " << k;
        EXPECT_EQ(best[k].score, all[k].score);
      }
    }
  }
}

TEST(target_finder, lists_are_shorter_where_there_are_fewer_targets) {
  const std::vector<float> rows(3 * 16, 1.0f);
  const target_table table(rows, 16, {}, false, isa::scalar);
  target_finder finder(table, 20);
  std::ranges::fill(finder.source(0), 1.0f);
  const std::vector<std::uint32_t> left_out{1};
  const std::span<const std::uint32_t> one[] = {left_out};
  finder.find(one);
  ASSERT_EQ(finder.best(0).size(), 2u);
  EXPECT_EQ(finder.best(0)[0].target, 0u);
  EXPECT_EQ(finder.best(0)[1].target, 2u);
}

}  // namespace
