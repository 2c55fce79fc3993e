// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/embedding_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hogwild/detail/memory/lined_floats.hpp>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr float left_out = -std::numeric_limits<float>::infinity();

lined_floats lined(const std::vector<float>& from) {
  lined_floats to(from.size());
  std::ranges::copy(from, to.data());
  return to;
}
std::vector<float> copied(const lined_floats& from, std::size_t n) {
  return {from.data(), from.data() + n};
}

/// A product's shape; `transposed`: A lies column after column.
struct shape_of_product {
  std::size_t rows, columns, depth;
  bool transposed, add;
};

std::vector<shape_of_product> shapes_of_products() {
  std::vector<shape_of_product> all;
  for (const std::size_t rows : {1u, 3u, 4u, 5u, 12u, 13u, 31u})
    for (const std::size_t columns : {16u, 32u, 48u})
      for (const std::size_t depth : {1u, 16u, 112u, 256u, 300u})
        all.push_back({rows, columns, depth, (rows + columns) % 2 == 0, depth % 3 == 0});
  all.push_back({2, 16, 0, false, false});
  return all;
}

TEST(embedding_kernels, products_are_sums_of_products_with_the_same_bits_everywhere) {
  for (const shape_of_product& of : shapes_of_products()) {
    SCOPED_TRACE(std::to_string(of.rows) + " x " + std::to_string(of.columns) + " x " + std::to_string(of.depth));
    std::mt19937_64 random(5);
    const std::vector<float> a = random_numbers(random, of.rows * of.depth),
                             b = random_numbers(random, of.depth * of.columns),
                             c = random_numbers(random, of.rows * of.columns);
    const auto found = same_everywhere([&](isa set) -> arrays_of_floats {
      const embedding_kernels& kernels = embedding_kernels_of(set);
      lined_floats left = lined(a), panels(of.depth * of.columns), to = lined(c);
      for (std::size_t p = 0; p < of.depth; ++p)
        kernels.into_panels(b.data() + p * of.columns, of.columns, p, of.depth, panels.data());
      kernels.product(of.rows, of.columns, of.depth, left.data(), of.transposed ? 1 : of.depth,
                      of.transposed ? of.rows : 1, panels.data(), to.data(), of.columns, of.add);
      return {copied(to, of.rows * of.columns)};
    });
    for (std::size_t i = 0; i < of.rows; ++i) {
      for (std::size_t j = 0; j < of.columns; ++j) {
        exact_sum sum;
        if (of.add) sum.add(static_cast<double>(c[i * of.columns + j]));
        for (std::size_t p = 0; p < of.depth; ++p)
          sum.add(static_cast<double>(of.transposed ? a[p * of.rows + i] : a[i * of.depth + p]) *
                  static_cast<double>(b[p * of.columns + j]));
        expect_near(found[0][i * of.columns + j], sum, 1);
      }
    }
  }
}

TEST(embedding_kernels, rows_become_columns_in_panels) {
  constexpr std::size_t count = 48, width = 32;
  std::mt19937_64 random(7);
  const std::vector<float> rows = random_numbers(random, count * width);
  const auto found = same_everywhere([&](isa set) -> arrays_of_floats {
    lined_floats from = lined(rows), to(count * width);
    embedding_kernels_of(set).columns_into_panels(from.data(), count, width, to.data());
    return {copied(to, count * width)};
  });
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t k = 0; k < width; ++k)
      EXPECT_EQ(found[0][j / 16 * 16 * width + k * 16 + j % 16], rows[j * width + k]);
}

TEST(embedding_kernels, distances_are_those_of_double_precision) {
  for (const float scale : {1e-12f, 1e-3f, 1.0f, 1e12f}) {
    constexpr std::size_t n = 48, width = 32;
    std::mt19937_64 random(13);
    std::vector<float> q = random_numbers(random, width), rows = random_numbers(random, n * width);
    std::copy_n(q.begin(), width, rows.begin());  // no distance at all
    for (float& x : q) x *= scale;
    for (float& x : rows) x *= scale;
    const auto found = same_everywhere([&](isa set) -> arrays_of_floats {
      const embedding_kernels& kernels = embedding_kernels_of(set);
      lined_floats source = lined(q), targets = lined(rows), scores(n), squares(n), inverse(n), apart(n);
      for (std::size_t k = 0; k < n; ++k) {
        const float* const t = targets.data() + k * width;
        scores.data()[k] = kernels.dot(source.data(), t, width);
        squares.data()[k] = kernels.dot(t, t, width);
        apart.data()[k] = kernels.square_of_difference(source.data(), t, width);
      }
      kernels.distances(scores.data(), n, kernels.dot(source.data(), source.data(), width), squares.data(),
                        2.0f * scale, inverse.data());
      return {copied(scores, n), copied(inverse, n), copied(apart, n)};
    });
    for (std::size_t k = 0; k < n; ++k) {
      double square = 0.0, both = 0.0;
      for (std::size_t i = 0; i < width; ++i) {
        const auto a = static_cast<double>(q[i]), b = static_cast<double>(rows[k * width + i]);
        square += (a - b) * (a - b);
        both += a * a + b * b;
      }
      // A term of |q|^2 + |t|^2 - 2 q.t is rounded at most 8 times, by 2^-24 of both each.
      const double least = 1e-6 * both + 1e-30, distance = std::sqrt(std::max(square, least));
      const double error = 2e-6 * both / distance + 4e-7 * distance;
      EXPECT_NEAR(static_cast<double>(found[0][k]), 2.0 * static_cast<double>(scale) - distance, error) << k;
      EXPECT_NEAR(static_cast<double>(found[1][k]) * distance, 1.0, error / distance) << k;
      EXPECT_NEAR(static_cast<double>(found[2][k]), square, 1e-6 * square) << k;
    }
  }
}

double soft_plus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// A loss of scores and of the positive score, and the kernel of its derivatives.
struct loss_case {
  const char* name;
  std::function<double(const std::vector<double>& s, double p)> loss;
  std::function<float(const embedding_kernels&, float* s, std::size_t n, float p)> derive;
};

template <class F>
double sum_of(const std::vector<double>& s, const F& f) {
  double sum = 0.0;
  for (const double x : s)
    if (std::isfinite(x)) sum += f(x);
  return sum;
}

const std::vector<loss_case>& losses() {
  static const std::vector<loss_case> all{
      {"softmax",
       [](const auto& s, double p) { return std::log1p(sum_of(s, [&](double x) { return std::exp(x - p); })); },
       [](const embedding_kernels& k, float* s, std::size_t n, float p) { return k.softmax(s, n, p); }},
      {"pairwise",
       [](const auto& s, double p) { return 0.125 * sum_of(s, [&](double x) { return soft_plus(x - p); }); },
       [](const embedding_kernels& k, float* s, std::size_t n, float p) { return k.pairwise(s, n, p, 0.125f); }},
      {"logistic",
       [](const auto& s, double p) { return soft_plus(-p) + 0.125 * sum_of(s, [](double x) { return soft_plus(x); }); },
       [](const embedding_kernels& k, float* s, std::size_t n, float p) { return k.logistic(s, n, p, 0.125f); }},
      {"hinge",
       [](const auto& s, double p) { return 0.125 * sum_of(s, [&](double x) { return std::max(0.0, 0.75 + x - p); }); },
       [](const embedding_kernels& k, float* s, std::size_t n, float p) { return k.hinge(s, n, p, 0.75f, 0.125f); }}};
  return all;
}

TEST(embedding_kernels, derivatives_are_those_of_the_loss) {
  for (const loss_case& of : losses()) {
    SCOPED_TRACE(of.name);
    for (const std::size_t n : {16u, 48u, 256u}) {
      std::mt19937_64 random(n);
      std::vector<float> scores = random_numbers(random, n);
      for (float& s : scores) s *= 3.0f;
      scores[3] = scores[n - 1] = left_out;
      const float p = 0.375f;
      const auto found = same_everywhere([&](isa set) -> arrays_of_floats {
        lined_floats s = lined(scores);
        const float slope = of.derive(embedding_kernels_of(set), s.data(), n, p);
        return {copied(s, n), {slope}};
      });
      std::vector<double> s(scores.begin(), scores.end());
      constexpr double step = 1e-5;
      const auto difference = [&](double& x) {
        const double at = x;
        x = at + step;
        const double above = of.loss(s, static_cast<double>(p));
        x = at - step;
        const double below = of.loss(s, static_cast<double>(p));
        x = at;
        return (above - below) / (2 * step);
      };
      for (std::size_t k = 0; k < n; ++k)
        EXPECT_NEAR(static_cast<double>(found[0][k]), std::isfinite(s[k]) ? difference(s[k]) : 0.0, 1e-6) << k;
      const double by_positive =
          (of.loss(s, static_cast<double>(p) + step) - of.loss(s, static_cast<double>(p) - step)) / (2 * step);
      EXPECT_NEAR(static_cast<double>(found[1][0]), by_positive, 1e-6);
    }
  }
}

TEST(embedding_kernels, self_adversarial_weights_are_a_softmax_of_the_scores) {
  constexpr std::size_t n = 32;
  std::mt19937_64 random(11);
  std::vector<float> scores = random_numbers(random, n);
  scores[5] = left_out;
  const float p = 1.25f, temperature = 0.5f;
  const auto found = same_everywhere([&](isa set) -> arrays_of_floats {
    lined_floats s = lined(scores);
    const float slope = embedding_kernels_of(set).self_adversarial(s.data(), n, p, temperature);
    return {copied(s, n), {slope}};
  });
  double total = 0.0;
  for (const float s : scores) total += std::exp(0.5 * static_cast<double>(s));
  for (std::size_t k = 0; k < n; ++k) {
    const auto s = static_cast<double>(scores[k]);
    const double expected = k == 5 ? 0.0 : std::exp(0.5 * s) / total / (1.0 + std::exp(-s));
    EXPECT_NEAR(static_cast<double>(found[0][k]), expected, 1e-6) << k;
  }
  EXPECT_NEAR(static_cast<double>(found[1][0]), 1.0 / (1.0 + std::exp(-1.25)) - 1.0, 1e-6);
}

TEST(embedding_kernels, no_score_is_too_large_for_a_derivative) {
  for (const loss_case& of : losses()) {
    for (const float huge : {1e4f, 1e30f, -1e30f, left_out}) {
      for (const float p : {0.0f, 1e30f, -1e30f}) {
        SCOPED_TRACE(std::string(of.name) + " " + std::to_string(huge) + " " + std::to_string(p));
        lined_floats s = lined(std::vector<float>(16, huge));
        const float slope = of.derive(embedding_kernels_of(isa::scalar), s.data(), 16, p);
        EXPECT_TRUE(std::isfinite(slope));
        for (const float x : copied(s, 16)) EXPECT_TRUE(std::isfinite(x));
      }
    }
  }
}

TEST(embedding_kernels, scores_above_a_bound_are_counted) {
  std::mt19937_64 random(3);
  const std::vector<float> scores = random_numbers(random, 64);
  const auto above = [](float bound) { return [=](float s) { return s > bound; }; };
  for (const isa set : instruction_sets_here())
    for (const float bound : {scores[0], 0.0f, 9.0f, left_out})
      EXPECT_EQ(embedding_kernels_of(set).count_above(scores.data(), scores.size(), bound),
                static_cast<std::size_t>(std::ranges::count_if(scores, above(bound))));
}

}  // namespace
