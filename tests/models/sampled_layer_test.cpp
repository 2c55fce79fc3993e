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

#include <hogwild/detail/optimization/random.hpp>

#include "support/toy_data.hpp"

namespace {

using namespace hogwild;

constexpr std::array every_distribution = {sample_distribution::frequency, sample_distribution::log_uniform,
                                           sample_distribution::uniform};

std::vector<std::uint32_t> uneven_counts(std::size_t classes) {
  std::vector<std::uint32_t> counts(classes);
  for (std::size_t c = 0; c < classes; ++c) counts[c] = static_cast<std::uint32_t>(1000 / (1 + (c * 7) % classes));
  return counts;
}

/// The chance of each class in one draw.
std::vector<double> draw_chances(sample_distribution by, const std::vector<std::uint32_t>& counts) {
  std::vector<double> q(counts.size(), 1.0);
  for (std::size_t c = 0; c < q.size(); ++c) {
    const auto rank = std::ranges::count_if(counts, [&](std::uint32_t n) { return n > counts[c]; }) +
                      std::count(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(c), counts[c]);
    if (by == sample_distribution::frequency) q[c] = std::sqrt(1.0 + counts[c]);
    if (by == sample_distribution::log_uniform)
      q[c] = std::log(static_cast<double>(rank + 2) / static_cast<double>(rank + 1));
  }
  const double sum = std::accumulate(q.begin(), q.end(), 0.0);
  for (double& x : q) x /= sum;
  return q;
}

/// A layer of `classes` classes with weights and examples, all of one seed, and what comes of it by the formula.
struct filled_layer {
  static constexpr std::size_t inputs = 5, rows = 16;
  filled_layer(std::size_t of, std::size_t draws, sample_distribution by, std::size_t batch, bool one_vs_rest = false)
      : classes(of),
        n(batch),
        layer(class_sampler(by, uneven_counts(of), draws), inputs, isa::automatic, batch, rows, one_vs_rest),
        w(test::noise_vector(of * inputs, 1, -1.0, 1.0)),
        b(test::noise_vector(of, 2, -1.0, 1.0)),
        h(test::noise_vector(inputs * rows * passes(), 3, -1.0, 1.0)),
        dh(h.size()) {
    values = private_memory(h.size() * sizeof(float)), partials = private_memory(h.size() * sizeof(float));
    std::ranges::copy(h, reinterpret_cast<float*>(values.base()));
    for (std::size_t k = 0; k < n; ++k) label.push_back(static_cast<std::uint32_t>(k * 3 % classes));
  }
  std::size_t passes() const { return (n + rows - 1) / rows; }
  net_outputs at(std::size_t pass) {
    const std::size_t first = pass * inputs * rows;
    return {pass * rows, std::min(rows, n - pass * rows), rows, reinterpret_cast<float*>(values.base()) + first,
            reinterpret_cast<float*>(partials.base()) + first};
  }
  double output(std::size_t k, std::size_t v) const {
    return static_cast<double>(h[k / rows * inputs * rows + v * rows + k % rows]);
  }
  double partial(std::size_t k, std::size_t v) const {
    return static_cast<double>(
        reinterpret_cast<const float*>(partials.base())[k / rows * inputs * rows + v * rows + k % rows]);
  }
  double score(std::size_t k, std::size_t c) const {
    double s = static_cast<double>(b[c]);
    for (std::size_t v = 0; v < inputs; ++v) s += static_cast<double>(w[c * inputs + v]) * output(k, v);
    return s;
  }
  std::span<const std::uint32_t> given(std::size_t k) const {
    return lists.empty() ? std::span<const std::uint32_t>{} : lists[k];
  }
  void differentiate(std::uint64_t seed) {
    for (std::size_t k = 0; k < n; ++k)
      layer.take(k, {{}, {}, static_cast<float>(label[k]), given(k)}, mix_bits(seed * 1000 + k + 1));
    layer.gather(n);
    for (std::size_t s = 0; s < layer.slots().size(); ++s) {
      std::copy_n(w.begin() + static_cast<std::ptrdiff_t>(layer.slots().rows()[s] * inputs), inputs,
                  layer.slots().weights(s).begin());
      layer.slots().bias(s) = b[layer.slots().rows()[s]];
    }
    for (std::size_t pass = 0; pass < passes(); ++pass) layer.differentiate(at(pass));
  }

  std::size_t classes, n;
  sampled_layer layer;
  std::vector<float> w, b, h, dh;
  private_memory values, partials;
  std::vector<std::uint32_t> label{};
  std::vector<std::vector<std::uint32_t>> lists{};  ///< empty: rows have one label each
};

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
      f.differentiate(2);  // what the batch before left behind does no harm
      // Labels stand behind the sample, in the order of the rows, where they are not in it: but for labels that stand
      // there the sample cannot be told from outside, so it is drawn again.
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
    f.b[y] += 3.0f;  // so that its probability is one to speak of
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

/// One to three classes, of which some are in the sample, too.
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

// As above, with several classes a row: they stand for themselves, and the sample without them for the others.
TEST(sampled_layer, of_lists_its_gradient_is_that_of_the_formula) {
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

TEST(sampled_layer, a_batch_of_lists_has_a_class_by_its_sample_or_any_of_its_labels) {
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

// Told apart from the rest, the partial of class c that a row has not is sigma(s_c) / E_c with chance E_c, else 0: its
// mean is sigma(s_c) exactly, its variance at most sigma^2 / E_c. By Bernstein's inequality the mean of m samples is
// farther off than t with a chance below 2 exp(-m t^2 / 2 / (sigma^2 / E + sigma / E t / 3)), which t makes 1e-9; one
// of 60 checks would fail with a chance below 1e-7.
TEST(sampled_layer, one_class_against_the_rest_has_the_full_gradient_in_the_mean) {
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

TEST(sampled_layer, of_lists_losses_and_scores_are_those_of_all_classes) {
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
