// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/block_products.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/error.hpp>

#include "support/random_rows.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// To nearest; random numbers are never halfway.
double rounded_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<double>(std::bit_cast<float>((bits + 0x8000u) & 0xffff0000u));
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

  /// Expects a product of numbers that are first rounded by `round`. Factors are read by a(i, p) and b(p, j).
  template <class Round, class A, class B>
  static void expect(const Round& round, std::size_t rows, std::size_t columns, std::size_t depth, const A& a,
                     const B& b, const float* found) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        double sum = 0.0, sizes = 0.0;
        for (std::size_t p = 0; p < depth; ++p) {
          const double x = round(a(i, p)) * round(b(p, j));
          sum += x, sizes += std::abs(x);
        }
        // Of `depth` rounded sums; zeros may follow up to a depth of 32.
        const double bound = 1.001 * static_cast<double>(depth + 32) * 0x1p-24 * sizes;
        ASSERT_NEAR(static_cast<double>(found[i * columns + j]), sum, bound) << i << ' ' << j;
      }
    }
  }
  template <class Round>
  void expect_scores(const Round& round) {
    const auto source = [&](std::size_t i, std::size_t p) { return sources.data()[i * width + p]; };
    const auto target = [&](std::size_t p, std::size_t j) { return targets.data()[j * width + p]; };
    expect(round, n, m, width, source, target, scores.data());
  }
  template <class Round>
  void expect_gradients(const Round& round) {
    const auto slope = [&](std::size_t i, std::size_t j) { return slopes.data()[i * m + j]; };
    const auto slope_of_target = [&](std::size_t j, std::size_t i) { return slope(i, j); };
    const auto source = [&](std::size_t i, std::size_t k) { return sources.data()[i * width + k]; };
    const auto target = [&](std::size_t j, std::size_t k) { return targets.data()[j * width + k]; };
    expect(round, n, width, m, slope, target, source_gradients.data());
    expect(round, m, width, n, slope_of_target, source, target_gradients.data());
  }
};

double as_it_is(float x) {
  return static_cast<double>(x);
}

TEST(block_products, are_those_of_rounded_numbers_in_training_and_of_floats_otherwise) {
  for (const product_numbers numbers : {product_numbers::floats, product_numbers::bf16}) {
    if (numbers == product_numbers::bf16 && bf16_forms().empty()) continue;
    const auto round = numbers == product_numbers::bf16 ? rounded_to_bf16 : as_it_is;
    for (const isa set : instruction_sets_here()) {
      for (const std::size_t width : {16u, 32u, 48u, 112u}) {
        constexpr std::size_t sources = 61, targets = 144;
        // A block is followed by smaller ones, of which nothing of it may be seen.
        block_products products(embedding_kernels_of(set), numbers, width, sources, targets);
        std::mt19937_64 random(width);
        for (const std::size_t n : {61u, 1u, 16u, 33u, 47u}) {
          for (const std::size_t m : {144u, 16u, 80u, 96u}) {
            SCOPED_TRACE(std::string(name_of(set)) + ": " + std::to_string(n) + " sources, " + std::to_string(m) +
                         " targets of " + std::to_string(width) + (numbers == product_numbers::bf16 ? ", bf16" : ""));
            block_of_rows block(random, n, m, width);
            block.multiply(products, true);
            block.expect_scores(round);
            block.expect_gradients(round);
            block.multiply(products, false);
            block.expect_scores(as_it_is);
            if (HasFatalFailure()) return;
          }
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
