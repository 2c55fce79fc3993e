// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/block_products.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/error.hpp>

#include "support/random_rows.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// To eight digits, of two to the even one.
double rounded_to_bf16(float x) {
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(x), &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
}

struct block_of_rows {
  std::size_t n, m, width;
  lined_floats sources, targets, slopes, scores, source_gradients, target_gradients;

  block_of_rows(std::mt19937_64& random, std::size_t n_sources, std::size_t m_targets, std::size_t floats)
      : n(n_sources),
        m(m_targets),
        width(floats),
        sources(n * width),
        targets(m * width),
        slopes(n * m),
        scores(n * m),
        source_gradients(n * width),
        target_gradients(m * width) {
    for (auto [to, size] : {std::pair(&sources, n * width), {&targets, m * width}, {&slopes, n * m}})
      std::ranges::copy(random_numbers(random, size), to->data());
  }

  void multiply(block_products& products, bool trained) {
    products.score(sources.data(), n, targets.data(), m, scores.data(), trained);
    products.differentiate(slopes.data(), sources.data(), n, targets.data(), m, source_gradients.data(),
                           target_gradients.data());
  }

  /// Expects a product of factors that are read by a(i, p) and b(p, j).
  template <class A, class B>
  static void expect(std::size_t rows, std::size_t columns, std::size_t depth, const A& a, const B& b,
                     const float* found) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        double sum = 0.0, sizes = 0.0;
        for (std::size_t p = 0; p < depth; ++p) {
          const double x = a(i, p) * b(p, j);
          sum += x, sizes += std::abs(x);
        }
        // Of `depth` rounded sums; zeros may follow up to a multiple of 32.
        const double bound = 1.001 * static_cast<double>(depth + 32) * 0x1p-24 * sizes;
        ASSERT_NEAR(static_cast<double>(found[i * columns + j]), sum, bound) << i << ' ' << j;
      }
    }
  }
  /// Expects the products of numbers that are first rounded; those of the slopes, too, if they are `trained`.
  template <class Round>
  void expect_products(const Round& round, bool trained) {
    const auto rounded = [&](const lined_floats& of, std::size_t size) {
      std::vector<double> all(size);
      std::transform(of.data(), of.data() + size, all.begin(), round);
      return all;
    };
    const std::vector<double> s = rounded(sources, n * width), t = rounded(targets, m * width),
                              g = rounded(slopes, n * m);
    const auto source = [&](std::size_t i, std::size_t k) { return s[i * width + k]; };
    const auto target = [&](std::size_t j, std::size_t k) { return t[j * width + k]; };
    const auto slope = [&](std::size_t i, std::size_t j) { return g[i * m + j]; };
    const auto across = [](const auto& of) { return [of](std::size_t i, std::size_t j) { return of(j, i); }; };
    expect(n, m, width, source, across(target), scores.data());
    if (!trained) return;
    expect(n, width, m, slope, target, source_gradients.data());
    expect(m, width, n, across(slope), source, target_gradients.data());
  }
};

double as_it_is(float x) {
  return static_cast<double>(x);
}

TEST(block_products, are_those_of_rounded_numbers_in_training_and_of_floats_otherwise) {
  for (const product_numbers numbers : {product_numbers::floats, product_numbers::bf16}) {
    if (numbers == product_numbers::bf16 && bf16_forms().empty()) continue;
    const auto round = numbers == product_numbers::bf16 ? rounded_to_bf16 : as_it_is;
    for (const std::size_t width : {16u, 48u, 112u}) {
      constexpr std::size_t sources = 61, targets = 144;
      // A block is followed by smaller ones, of which nothing of it may be seen.
      block_products products(embedding_kernels_of(isa::automatic), numbers, width, sources, targets);
      std::mt19937_64 random(width);
      for (const std::size_t n : {61u, 1u, 16u, 33u, 47u}) {
        for (const std::size_t m : {144u, 16u, 80u, 96u}) {
          SCOPED_TRACE(std::to_string(n) + " sources, " + std::to_string(m) + " targets of " + std::to_string(width) +
                       (numbers == product_numbers::bf16 ? ", bf16" : ""));
          block_of_rows block(random, n, m, width);
          block.multiply(products, true);
          block.expect_products(round, true);
          block.multiply(products, false);
          block.expect_products(as_it_is, false);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(block_products, of_bf16_are_refused_where_they_cannot_be_had) {
  const auto made = [] { block_products(embedding_kernels_of(isa::scalar), product_numbers::bf16, 16, 1, 16); };
  if (bf16_forms().empty())
    EXPECT_THROW(made(), config_error);
  else
    EXPECT_NO_THROW(made());
}

}  // namespace
