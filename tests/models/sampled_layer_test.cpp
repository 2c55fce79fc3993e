// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/sampled_layer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/math/random.hpp>

#include "sampled_layers.hpp"
#include "support/toy_data.hpp"

namespace {

using namespace hogwild;

constexpr std::array every_distribution = {sample_distribution::frequency, sample_distribution::log_uniform,
                                           sample_distribution::uniform};

using sampled_test::draw_chances;
using sampled_test::filled_layer;
using sampled_test::uneven_counts;

TEST(class_counts, are_the_rows_of_each_class_and_of_each_of_a_list) {
  const test::toy_shape shape{.rows = 60, .columns = 20, .per_row = 4};
  const test::toy_rows plain = test::planted_classes(shape, 5), lists = test::planted_lists(shape, 5);
  for (const test::toy_rows* rows : {&plain, &lists}) {
    const csr_rows held = rows->csr();
    const label_map labels = label_map::learn(label_kind::classes, held.view().label, "toy");
    std::vector<std::uint32_t> expected(6);
    for (const float label : rows->label) ++expected[static_cast<std::size_t>(label)];
    EXPECT_EQ(class_counts(held.view(), labels, 6), expected);
    EXPECT_EQ(class_counts(held.view(), {}, 6), std::vector<std::uint32_t>(6));
  }
  EXPECT_GT(lists.label.size(), shape.rows) << "rows of lists have more labels than rows";
}

// A class is in the sample of a batch with chance E: of 4,000 batches in 4000 E, with a standard deviation of at most
// sqrt(4000 E). Numbers are always the same here; were they not, 6 deviations and half of one batch would be passed in
// less than 2e-9 of cases, of 60 classes and 3 distributions in less than 4e-7.
TEST(sampled_layer, every_class_is_in_a_sample_as_often_as_its_chance_says_and_no_class_twice) {
  constexpr std::size_t classes = 60, draws = 25, batches = 4000;
  for (const sample_distribution by : every_distribution) {
    const std::vector<double> q = draw_chances(by, uneven_counts(classes));
    const class_sampler sampler(by, uneven_counts(classes), draws);
    sampled_layer layer(sampler, 1, isa::automatic, 1, 16);
    std::vector<double> seen(classes);
    for (std::uint64_t i = 0; i < batches; ++i) {
      layer.take(0, {{}, {}, 7.0f}, mix_bits(i));
      layer.gather(1);
      const std::set<std::uint32_t> distinct(layer.slots().rows().begin(), layer.slots().rows().end());
      EXPECT_EQ(distinct.size(), layer.slots().size());
      EXPECT_TRUE(distinct.contains(7));
      for (const std::uint32_t c : distinct) seen[c] += 1.0;
    }
    for (std::size_t c = 0; c < classes; ++c) {
      const double chance = 1.0 - std::pow(1.0 - q[c], draws);
      EXPECT_NEAR(std::exp(static_cast<double>(sampler.log_chance(c))), chance, 1e-6);
      if (c == 7) continue;
      EXPECT_NEAR(seen[c], batches * chance, 6.0 * std::sqrt(batches * chance) + 0.5) << c;
    }
  }
}

TEST(sampled_layer, a_batch_has_a_class_by_its_sample_or_its_labels) {
  const std::vector<std::uint32_t> counts{60, 30, 10, 0};
  const class_sampler sampler(sample_distribution::uniform, counts, 2);
  EXPECT_NEAR(sampler.chance_in_batch(3, 5), 1.0 - 0.75 * 0.75, 1e-6);
  EXPECT_NEAR(sampler.chance_in_batch(1, 5), 1.0 - 0.75 * 0.75 * std::pow(0.7, 5), 1e-6);
}

// Sums of some twenty products of floats.
TEST(sampled_layer, its_gradient_is_that_of_the_formula) {
  for (const std::size_t draws : {1u, 9u, 23u, 24u, 100u}) {  // of 24 classes
    for (const std::size_t n : {1u, 16u, 40u}) {
      filled_layer f(24, draws, sample_distribution::frequency, n);
      const std::vector<double> q = draw_chances(sample_distribution::frequency, uneven_counts(24));
      f.differentiate(1);
      f.differentiate(2);  // the batch before leaves nothing behind
      // Labels outside the sample stand behind it, in the order of the rows. Apart from such labels the sample cannot
      // be seen from outside, so it is drawn again.
      std::set<std::uint32_t> sample;
      const class_sampler sampler(sample_distribution::frequency, uneven_counts(24), draws);
      const counter_random random(mix_bits(2001), n);
      for (std::size_t i = 0; i < draws && !sampler.takes_all(); ++i) sample.insert(sampler.draw(random.bits(i)));
      for (std::uint32_t c = 0; c < 24 && sampler.takes_all(); ++c) sample.insert(c);
      std::vector<double> dw(24 * f.inputs), db(24);
      for (std::size_t k = 0; k < n; ++k) {
        std::vector<double> part(24);
        double z = part[f.label[k]] = std::exp(f.score(k, f.label[k]));
        for (const std::uint32_t c : sample) {
          if (c == f.label[k]) continue;
          const double chance = sampler.takes_all() ? 1.0 : 1.0 - std::pow(1.0 - q[c], static_cast<double>(draws));
          z += part[c] = std::exp(f.score(k, c)) / chance;
        }
        std::vector<double> dh(f.inputs);
        for (std::size_t c = 0; c < 24; ++c) {
          const double slope = (part[c] / z - (c == f.label[k] ? 1.0 : 0.0)) / static_cast<double>(n);
          db[c] += slope;
          for (std::size_t v = 0; v < f.inputs; ++v) {
            dw[c * f.inputs + v] += slope * f.output(k, v);
            dh[v] += slope * static_cast<double>(f.w[c * f.inputs + v]);
          }
        }
        for (std::size_t v = 0; v < f.inputs; ++v) EXPECT_NEAR(f.partial(k, v), dh[v], 1e-6) << draws << " " << n;
      }
      for (std::size_t s = 0; s < f.layer.slots().size(); ++s) {
        const std::size_t c = f.layer.slots().rows()[s];
        EXPECT_NEAR(static_cast<double>(f.layer.slots().bias_partials()[s]), db[c], 1e-6);
        db[c] = 0.0;
        for (std::size_t v = 0; v < f.inputs; ++v)
          EXPECT_NEAR(static_cast<double>(f.layer.slots().partials(s)[v]), dw[c * f.inputs + v], 1e-6)
              << draws << " " << n;
      }
      for (const double rest : db) EXPECT_EQ(rest, 0.0) << "a class without a slot has a gradient";
    }
  }
}

// Let a_c = exp(s_c), A_c what a sample makes of it (a_c / E_c or 0; of the label a itself) and Z^ their sum. Classes c
// and d are both in a sample with chance 1 - (1 - q_c)^n - (1 - q_d)^n + (1 - q_c - q_d)^n, from which the covariances
// of the A follow, and V, the variance of Z^. Its mean is Z; by Bernstein's inequality that of m samples is farther off
// than t with a chance below 2 exp(-m t^2 / 2 / (V + R t / 3)), where R is what Z^ may be at most: t is such that this
// is 1e-9. The gradient by score c is A_c / Z^ - [c is the label], whose mean is off by at most
// (|cov(A_c, Z^)| + V) / Z^2 as A_c / Z^ = A_c / Z + A_c (Z - Z^) / Z^2 + A_c / Z^ (Z - Z^)^2 / Z^2 and A_c / Z^ <= 1;
// by Hoeffding's inequality that of m samples is farther from it than sqrt(log(2e9) / 2 m) with a chance below 1e-9.
// Were the numbers not always the same, one of 303 checks would fail with a chance below 1e-6.
TEST(sampled_layer, the_mean_over_samples_is_the_full_softmax_within_its_bounds) {
  constexpr std::size_t classes = 100, draws = 90, samples = 6000;
  const double chance_log = std::log(2e9), m = static_cast<double>(samples);
  for (const sample_distribution by : every_distribution) {
    filled_layer f(classes, draws, by, 1);
    const std::vector<double> q = draw_chances(by, uneven_counts(classes));
    const std::size_t y = f.label[0];
    f.b[y] += 3.0f;  // so that its probability is not negligible
    std::vector<double> a(classes), in(classes, 1.0), off(classes);
    const auto power = [&](double x) { return std::pow(x, static_cast<double>(draws)); };
    double z = 0.0, most = 0.0, variance = 0.0;
    for (std::size_t c = 0; c < classes; ++c) {
      z += a[c] = std::exp(f.score(0, c));
      if (c != y) in[c] = 1.0 - power(1.0 - q[c]);
      most += a[c] / in[c];
    }
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t d = 0; d < classes; ++d) {
        if (c == y || d == y) continue;
        const double both =
            c == d ? in[c] : 1.0 - power(1.0 - q[c]) - power(1.0 - q[d]) + power(std::max(0.0, 1.0 - q[c] - q[d]));
        off[c] += a[c] * a[d] * (both / (in[c] * in[d]) - 1.0);
      }
      variance += off[c];
    }
    std::vector<double> mean(classes);
    double mean_z = 0.0;
    for (std::size_t i = 0; i < samples; ++i) {
      f.differentiate(i);
      for (std::size_t s = 0; s < f.layer.slots().size(); ++s) {
        const double slope = static_cast<double>(f.layer.slots().bias_partials()[s]);
        mean[f.layer.slots().rows()[s]] += slope / m;
        if (f.layer.slots().rows()[s] == y) mean_z += a[y] / (1.0 + slope) / m;
      }
    }
    const double linear = chance_log * most / 3.0 / m;
    const double t = linear + std::sqrt(linear * linear + 2.0 * chance_log * variance / m);
    EXPECT_LT(t, 0.03 * z) << "a bound that says nothing";
    EXPECT_NEAR(mean_z, z, t + 1e-5 * z);
    for (std::size_t c = 0; c < classes; ++c) {
      const double bias = (std::abs(off[c]) + variance) / (z * z);
      EXPECT_LT(bias, 0.03);
      EXPECT_NEAR(mean[c], a[c] / z - (c == y ? 1.0 : 0.0), bias + std::sqrt(chance_log / (2.0 * m))) << c;
    }
  }
}

TEST(sampled_layer, scores_are_those_of_all_classes_in_blocks) {
  constexpr std::size_t classes = 70'000;  // more than are scored at once
  filled_layer f(classes, 10, sample_distribution::log_uniform, 18);
  f.differentiate(1);
  std::vector<row_score> scores(18);
  std::size_t blocks = 0;
  const auto read = [&](std::size_t first, std::span<float> weights, std::span<float> biases) {
    ++blocks;
    std::copy_n(f.w.begin() + static_cast<std::ptrdiff_t>(first * f.inputs), weights.size(), weights.begin());
    std::copy_n(f.b.begin() + static_cast<std::ptrdiff_t>(first), biases.size(), biases.begin());
  };
  for (std::size_t pass = 0; pass < f.passes(); ++pass)
    f.layer.score(
        f.at(pass), read, [] { return false; }, scores);
  EXPECT_GT(blocks, 2 * f.passes());
  for (const std::size_t k : {0u, 15u, 16u, 17u}) {
    double sum = 0.0, top = -1e30;
    std::size_t best = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      const double s = f.score(k, c);
      sum += std::exp(s);
      if (s > top) top = s, best = c;
    }
    EXPECT_NEAR(scores[k].loss, std::log(sum) - f.score(k, f.label[k]), 1e-4);
    EXPECT_EQ(scores[k].score, static_cast<float>(best));
  }
  blocks = 0;
  f.layer.score(
      f.at(0), read, [&] { return blocks == 1; }, scores);
  EXPECT_EQ(blocks, 1u) << "it goes on after it was told to stop";
}

}  // namespace
