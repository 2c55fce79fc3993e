// SPDX-License-Identifier: Apache-2.0
// A sampled layer on rows that have several classes each.
#include <hogwild/detail/models/sampled_layer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/math/random.hpp>

#include "sampled_layers.hpp"

namespace {

using namespace hogwild;
using sampled_test::draw_chances;
using sampled_test::filled_layer;
using sampled_test::uneven_counts;

/// One to three classes; some are in the sample, too.
std::vector<std::uint32_t> classes_given(std::size_t k, std::size_t classes) {
  std::set<std::uint32_t> list;
  for (std::size_t i = 0; i <= k % 3; ++i) list.insert(static_cast<std::uint32_t>((k * 3 + i * 5) % classes));
  return {list.begin(), list.end()};
}

struct listed_layer : filled_layer {
  listed_layer(std::size_t of, std::size_t draws, std::size_t batch, bool one_vs_rest)
      : filled_layer(of, draws, sample_distribution::frequency, batch, one_vs_rest), rest(one_vs_rest) {
    for (std::size_t k = 0; k < n; ++k) lists.push_back(classes_given(k, classes));
  }
  bool has(std::size_t k, std::size_t c) const { return std::ranges::count(lists[k], c) > 0; }
  double target(std::size_t k, std::size_t c) const {
    return !has(k, c) ? 0.0 : rest ? 1.0 : 1.0 / static_cast<double>(lists[k].size());
  }

  bool rest;
};

// With several classes a row, these count for themselves, and the sample without them for the others.
TEST(sampled_lists, its_gradient_is_that_of_the_formula) {
  constexpr std::size_t of = 24;
  for (const bool rest : {false, true}) {
    for (const std::size_t draws : {1u, 9u, 24u}) {
      for (const std::size_t n : {1u, 3u, 40u}) {
        listed_layer f(of, draws, n, rest);
        const std::vector<double> q = draw_chances(sample_distribution::frequency, uneven_counts(of));
        f.differentiate(1);
        f.differentiate(2);
        const class_sampler sampler(sample_distribution::frequency, uneven_counts(of), draws);
        std::set<std::uint32_t> sample;
        const counter_random random(mix_bits(2001), n);
        for (std::size_t i = 0; i < draws && !sampler.takes_all(); ++i) sample.insert(sampler.draw(random.bits(i)));
        for (std::uint32_t c = 0; c < of && sampler.takes_all(); ++c) sample.insert(c);
        std::vector<double> dw(of * f.inputs), db(of);
        for (std::size_t k = 0; k < n; ++k) {
          std::vector<double> part(of);
          double z = 0.0;
          for (std::uint32_t c = 0; c < of; ++c) {
            if (!f.has(k, c) && !sample.contains(c)) continue;
            const double in =
                f.has(k, c) || sampler.takes_all() ? 1.0 : 1.0 - std::pow(1.0 - q[c], static_cast<double>(draws));
            part[c] = rest ? 1.0 / (1.0 + std::exp(-f.score(k, c))) / in : std::exp(f.score(k, c)) / in;
            z += part[c];
          }
          std::vector<double> dh(f.inputs);
          for (std::size_t c = 0; c < of; ++c) {
            const double slope = (part[c] / (rest ? 1.0 : z) - f.target(k, c)) / static_cast<double>(n);
            db[c] += slope;
            for (std::size_t v = 0; v < f.inputs; ++v) {
              dw[c * f.inputs + v] += slope * f.output(k, v);
              dh[v] += slope * static_cast<double>(f.w[c * f.inputs + v]);
            }
          }
          for (std::size_t v = 0; v < f.inputs; ++v)
            EXPECT_NEAR(f.partial(k, v), dh[v], rest ? 2e-5 : 1e-6) << draws << " " << n;
        }
        for (std::size_t s = 0; s < f.layer.slots().size(); ++s) {
          const std::size_t c = f.layer.slots().rows()[s];
          EXPECT_NEAR(static_cast<double>(f.layer.slots().bias_partials()[s]), db[c], rest ? 2e-5 : 1e-6);
          db[c] = 0.0;
          for (std::size_t v = 0; v < f.inputs; ++v)
            EXPECT_NEAR(static_cast<double>(f.layer.slots().partials(s)[v]), dw[c * f.inputs + v], rest ? 2e-5 : 1e-6);
        }
        for (const double left : db) EXPECT_EQ(left, 0.0) << "a class without a slot has a gradient";
      }
    }
  }
}

TEST(sampled_lists, a_batch_of_lists_has_a_class_by_its_sample_or_any_of_its_labels) {
  constexpr std::size_t of = 24, draws = 9, n = 7;
  listed_layer f(of, draws, n, false);
  f.differentiate(1);
  std::size_t given = 0;
  for (const auto& list : f.lists) given += list.size();
  ASSERT_GT(given, n);
  const class_sampler sampler(sample_distribution::frequency, uneven_counts(of), draws);
  for (std::size_t s = 0; s < f.layer.slots().size(); ++s)
    EXPECT_EQ(f.layer.chance(s), sampler.chance_in_batch(f.layer.slots().rows()[s], given));
}

// With each class against the rest, the partial of a class c that a row lacks is sigma(s_c) / E_c with chance E_c, else
// 0: its mean is sigma(s_c) exactly, its variance at most sigma^2 / E_c. By Bernstein's inequality the mean of m
// samples is farther off than t with a chance below 2 exp(-m t^2 / 2 / (sigma^2 / E + sigma / E t / 3)), which t makes
// 1e-9; one of 60 checks would fail with a chance below 1e-7.
TEST(sampled_lists, one_class_against_the_rest_has_the_full_gradient_in_the_mean) {
  constexpr std::size_t of = 60, draws = 25, samples = 4000;
  listed_layer f(of, draws, 1, true);
  f.lists[0] = {3, 17, 40};
  const std::vector<double> q = draw_chances(sample_distribution::frequency, uneven_counts(of));
  std::vector<double> mean(of);
  for (std::size_t i = 0; i < samples; ++i) {
    f.differentiate(i);
    for (std::size_t s = 0; s < f.layer.slots().size(); ++s)
      mean[f.layer.slots().rows()[s]] += static_cast<double>(f.layer.slots().bias_partials()[s]) / double{samples};
  }
  const double chance_log = std::log(2e9);
  for (std::size_t c = 0; c < of; ++c) {
    const double sigma = 1.0 / (1.0 + std::exp(-f.score(0, c)));
    const double in = f.has(0, c) ? 1.0 : 1.0 - std::pow(1.0 - q[c], double{draws});
    const double linear = chance_log * sigma / in / 3.0 / double{samples};
    const double t =
        f.has(0, c) ? 0.0
                    : linear + std::sqrt(linear * linear + 2.0 * chance_log * sigma * sigma / in / double{samples});
    EXPECT_LT(t, 0.5 * sigma) << "a bound that says nothing";
    EXPECT_NEAR(mean[c], sigma - f.target(0, c), t + 1e-5) << c;
  }
}

TEST(sampled_lists, losses_and_scores_are_those_of_all_classes) {
  constexpr std::size_t of = 70'000, n = 18;
  for (const bool rest : {false, true}) {
    listed_layer f(of, 10, n, rest);
    f.differentiate(1);
    std::vector<row_score> scores(n);
    std::vector<float> of_classes(n * of);
    const auto read = [&](std::size_t first, std::span<float> weights, std::span<float> biases) {
      std::copy_n(f.w.begin() + static_cast<std::ptrdiff_t>(first * f.inputs), weights.size(), weights.begin());
      std::copy_n(f.b.begin() + static_cast<std::ptrdiff_t>(first), biases.size(), biases.begin());
    };
    for (std::size_t pass = 0; pass < f.passes(); ++pass)
      f.layer.score(
          f.at(pass), read, [] { return false; }, scores, of_classes);
    for (const std::size_t k : {0u, 5u, 17u}) {
      double z = 0.0, each = 0.0, own = 0.0;
      for (std::size_t c = 0; c < of; ++c) {
        EXPECT_NEAR(static_cast<double>(of_classes[k * of + c]), f.score(k, c), 1e-5);
        z += std::exp(f.score(k, c));
        each += std::log1p(std::exp(f.score(k, c)));
        own += f.has(k, c) ? f.score(k, c) : 0.0;
      }
      const double expected = rest ? each - own : std::log(z) - own / static_cast<double>(f.lists[k].size());
      EXPECT_NEAR(scores[k].loss, expected, 1e-5 * expected) << rest << " " << k;
    }
  }
}

}  // namespace
