// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/block_space.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_rows.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr std::size_t sources = 5, targets = 19, width = 32;
constexpr float left_out = -std::numeric_limits<float>::infinity();

/// The numbers of a block: rows of sources, positive and negative targets, then biases of both.
struct block_numbers {
  std::vector<float> all;

  explicit block_numbers(std::size_t seed) {
    std::mt19937_64 random(seed);
    all = random_numbers(random, (2 * sources + targets) * width + sources + targets);
  }
  static std::size_t biases() { return (2 * sources + targets) * width; }

  void write(block_space& space) const {
    const auto row = [&](std::size_t r, std::span<float> to) {
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(r * width), width, to.begin());
    };
    for (std::size_t i = 0; i < sources; ++i) {
      row(i, space.source(i));
      row(sources + i, space.positive(i));
      space.positive_bias(i) = all[biases() + i];
    }
    for (std::size_t j = 0; j < targets; ++j) {
      row(2 * sources + j, space.target(j));
      space.target_bias(j) = all[biases() + sources + j];
    }
    space.begin();
    space.lift(2, 0.5f);
    space.lift(7, left_out);
    space.leave_out(1, 4);
    space.leave_out(1, 4);
    space.leave_out(3, 18);
    space.weigh(2, 2.5f);
    space.weigh(4, 0.0f);
  }
  static double weighted(std::span<const double> losses) { return losses[0] + losses[1] + 2.5 * losses[2] + losses[3]; }
  static std::vector<float> gradient(block_space& space) {
    std::vector<float> g;
    const auto append = [&](std::span<const float> part) { g.insert(g.end(), part.begin(), part.end()); };
    for (std::size_t i = 0; i < sources; ++i) append(space.source_gradient(i));
    for (std::size_t i = 0; i < sources; ++i) append(space.positive_gradient(i));
    for (std::size_t j = 0; j < targets; ++j) append(space.target_gradient(j));
    for (std::size_t i = 0; i < sources; ++i) append(space.positive_bias_gradient(i));
    for (std::size_t j = 0; j < targets; ++j) append(space.target_bias_gradient(j));
    return g;
  }
};

struct scoring_case {
  const char* name;
  bool cosine;
  float temperature;
  bool bias;
  bool distance = false;
};

TEST(block_space, gradients_are_those_of_the_losses) {
  constexpr scoring_case scorings[] = {
      {"product", false, 1.0f, false},        {"product over a temperature, with biases", false, 2.0f, true},
      {"cosine", true, 0.25f, false},         {"cosine with biases", true, 0.5f, true},
      {"distance", false, 1.0f, false, true}, {"distance over a temperature, with biases", false, 2.0f, true, true}};
  // Weights of warp and of self_adversarial are constants for the derivatives, so differences are not theirs.
  for (const target_loss loss :
       {target_loss::softmax, target_loss::pairwise, target_loss::logistic, target_loss::hinge}) {
    for (const scoring_case& of : scorings) {
      SCOPED_TRACE(std::string(of.name) + ", loss " + std::to_string(static_cast<int>(loss)));
      const block_scoring scoring{.width = width,
                                  .targets = targets,
                                  .cosine = of.cosine,
                                  .distance = of.distance,
                                  .from = of.distance ? 3.0f : 0.0f,
                                  .temperature = of.temperature,
                                  .bias = of.bias,
                                  .loss = {.kind = loss, .margin = 30.0f, .targets = 100}};
      block_space space(scoring, isa::scalar, sources);
      block_numbers numbers(1);
      numbers.write(space);
      space.differentiate(sources);
      const std::vector<float> g = block_numbers::gradient(space);

      const auto loss_at = [&](const block_numbers& at) {
        std::vector<double> each(sources);
        at.write(space);
        space.losses(sources, each);
        return block_numbers::weighted(each);
      };
      std::mt19937_64 random(2);
      for (int trial = 0; trial < 12; ++trial) {
        std::vector<float> direction = random_numbers(random, g.size());
        if (!of.bias)
          std::fill(direction.begin() + static_cast<std::ptrdiff_t>(block_numbers::biases()), direction.end(), 0.0f);
        double length = 0.0, along = 0.0, size = 0.0;
        for (const float x : direction) length += static_cast<double>(x) * static_cast<double>(x);
        for (std::size_t k = 0; k < g.size(); ++k) {
          along += static_cast<double>(g[k]) * static_cast<double>(direction[k]) / std::sqrt(length);
          size += static_cast<double>(g[k]) * static_cast<double>(g[k]);
        }
        block_numbers above = numbers, below = numbers;
        constexpr float step = 0.02f;
        for (std::size_t k = 0; k < g.size(); ++k) {
          const float by = step * direction[k] / static_cast<float>(std::sqrt(length));
          above.all[k] += by;
          below.all[k] -= by;
        }
        const double difference = (loss_at(above) - loss_at(below)) / (2 * static_cast<double>(step));
        EXPECT_NEAR(along, difference, 2e-3 * std::sqrt(size) + 1e-5);
      }
    }
  }
}

TEST(block_space, warp_weighs_violations_by_the_rank_that_they_estimate) {
  // One source: scores of targets are 1, 2, 3, ...; that of the positive target is 15.5, so with a margin of 1 those of
  // 15 to 19 violate it.
  const block_scoring scoring{
      .width = 16, .targets = targets, .loss = {.kind = target_loss::warp, .margin = 1.0f, .targets = 1000}};
  block_space space(scoring, isa::scalar, 1);
  space.source(0)[0] = 1.0f;
  space.positive(0)[0] = 15.5f;
  for (std::size_t j = 0; j < targets; ++j) space.target(j)[0] = static_cast<float>(j + 1);
  space.begin();
  space.differentiate(1);
  const double violating = 5, each = std::log1p(violating * 1000 / 19) / std::log1p(1000.0) / violating;
  EXPECT_NEAR(static_cast<double>(space.positive_gradient(0)[0]), -violating * each, 1e-6);
  for (std::size_t j = 0; j < targets; ++j)
    EXPECT_NEAR(static_cast<double>(space.target_gradient(j)[0]), j >= 14 ? each : 0.0, 1e-6) << j;

  std::vector<double> loss(1);
  space.losses(1, loss);
  EXPECT_NEAR(loss[0], each * (0.5 + 1.5 + 2.5 + 3.5 + 4.5), 1e-6);
}

TEST(block_space, a_row_of_zeros_has_no_direction_but_a_gradient) {
  const block_scoring scoring{.width = 16, .targets = 2, .cosine = true, .temperature = 0.1f, .loss = {}};
  block_space space(scoring, isa::scalar, 1);
  space.positive(0)[1] = 2.0f;
  space.target(0)[2] = 3.0f;
  space.begin();
  space.differentiate(1);
  for (const float x : space.source_gradient(0)) EXPECT_TRUE(std::isfinite(x));
  EXPECT_LT(space.source_gradient(0)[1], 0.0f);
  EXPECT_GT(space.source_gradient(0)[2], 0.0f);
}

TEST(block_space, a_source_at_the_place_of_a_target_has_a_finite_gradient) {
  for (const float at : {0.0f, 0.1f, 7.0f}) {
    block_space space({.width = 16, .targets = 1, .distance = true, .loss = {}}, isa::scalar, 1);
    for (const std::span<float> row : {space.source(0), space.positive(0), space.target(0)}) std::ranges::fill(row, at);
    space.begin();
    space.differentiate(1);
    for (const std::span<const float> g :
         {space.source_gradient(0), space.positive_gradient(0), space.target_gradient(0)})
      for (const float x : g) EXPECT_LT(std::abs(x), 1e-3f) << at;
  }
}

TEST(block_space, blocks_have_the_same_bits_on_every_instruction_set) {
  for (const block_scoring& of : {block_scoring{.loss = {}}, block_scoring{.cosine = true, .loss = {}},
                                  block_scoring{.distance = true, .from = 2.0f, .loss = {}}}) {
    std::vector<float> first;
    for (const isa set : instruction_sets_here()) {
      block_scoring scoring = of;
      scoring.width = width, scoring.targets = targets, scoring.temperature = 0.5f, scoring.bias = true;
      block_space space(scoring, set, sources);
      block_numbers(4).write(space);
      space.differentiate(sources);
      const std::vector<float> g = block_numbers::gradient(space);
      if (first.empty()) first = g;
      EXPECT_EQ(g, first) << name_of(set);
    }
  }
}

TEST(block_space, products_in_bf16_change_gradients_by_their_rounding_and_no_losses) {
  if (bf16_forms().empty()) GTEST_SKIP() << "this processor does not multiply bfloat16";
  for (const block_scoring& of : {block_scoring{.loss = {}}, block_scoring{.cosine = true, .loss = {}},
                                  block_scoring{.distance = true, .from = 2.0f, .loss = {}}}) {
    std::vector<float> gradient[2];
    std::vector<double> losses[2];
    for (const product_numbers numbers : {product_numbers::floats, product_numbers::bf16}) {
      const auto at = static_cast<std::size_t>(numbers);
      block_scoring scoring = of;
      scoring.width = width, scoring.targets = targets, scoring.temperature = 0.5f, scoring.products = numbers;
      block_space space(scoring, isa::automatic, sources);
      block_numbers(4).write(space);
      space.differentiate(sources);
      gradient[at] = block_numbers::gradient(space);
      losses[at].resize(sources);
      block_numbers(4).write(space);
      space.losses(sources, losses[at]);
    }
    EXPECT_EQ(losses[1], losses[0]);
    double apart = 0.0, size = 0.0;
    for (std::size_t k = 0; k < gradient[0].size(); ++k) {
      const auto exact = static_cast<double>(gradient[0][k]);
      apart += std::pow(static_cast<double>(gradient[1][k]) - exact, 2), size += exact * exact;
    }
    // Three factors are rounded by 2^-9 at most.
    EXPECT_GT(apart, 0.0);
    EXPECT_LT(std::sqrt(apart / size), 0.02);
  }
}

}  // namespace
