// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/net_workspace.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/models/convnet.hpp>
#include <hogwild/models/mlp.hpp>

#include "support/sanitizers.hpp"

namespace {

using namespace hogwild;

/// A net with examples in it, all from one seed.
class filled_net {
 public:
  filled_net(const net_plan& net, std::size_t examples, isa set = isa::automatic, std::size_t batch = 0)
      : plan(net), n(examples), space(net, set, std::max(batch, examples)) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<float> any(-1.0f, 1.0f);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t v = 0; v < net.input().size(); ++v) space.input(k)[v * space.stride()] = any(random);
      const std::uint64_t key = random();
      space.describe(k, key, static_cast<float>(random() % net.output().size()));
    }
    std::vector<float> begin(net.parameters());
    initialise_net(net, param_view<float>(std::span(begin)), counter_random(3, 4));
    std::ranges::copy(begin, space.parameters().begin());
  }

  std::vector<float> gradient() {
    loss = space.differentiate(n);
    return {space.gradient().begin(), space.gradient().end()};
  }
  std::vector<row_score> scored() {
    std::vector<row_score> scores(n);
    space.score(n, scores);
    return scores;
  }

  net_plan plan;
  std::size_t n;
  net_workspace space;
  double loss = 0;
};

// One net with every kind of layer, small enough for thousands of passes, and with odd sides, so that pools leave
// something out; one of dense layers alone; one whose first layer has no parameters.
const net_plan every_layer({2, 11, 13},
                           {convolution(6, 3), channel_dropout(0.3f), max_pool(), relu(), convolution(7, 3), max_pool(),
                            relu(), dense(9), relu(), dropout(0.4f), dense(4)});
const net_plan dense_alone({30, 1, 1}, {dense(17), relu(), dropout(0.2f), dense(8), relu(), dense(3)});
const net_plan pool_first({1, 8, 8}, {max_pool(), convolution(5, 3), relu(), max_pool(), dense(2)});

class nets : public testing::TestWithParam<const net_plan*> {};
INSTANTIATE_TEST_SUITE_P(shapes, nets, testing::Values(&every_layer, &dense_alone, &pool_first));

/// The derivative by central differences in a direction.
double slope(filled_net& net, const std::vector<float>& direction, float h) {
  const std::span<float> w = net.space.parameters();
  const std::vector<float> before(w.begin(), w.end());
  for (std::size_t j = 0; j < w.size(); ++j) w[j] = before[j] + h * direction[j];
  const double above = net.space.differentiate(net.n);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] = before[j] - h * direction[j];
  const double below = net.space.differentiate(net.n);
  std::ranges::copy(before, w.begin());
  return (above - below) / (2.0 * static_cast<double>(h));
}

// Layer by layer: in random directions of the layer's weights, and of its biases, the slope is gradient . direction.
// Where a relu or a pool switches within h the slope jumps, so the bound is a fraction of the gradient's length: with h
// = 2^-12 of a direction of length 1 a few of some thousand units do, each with its share of the whole.
// Rounding gives 2^-24 * loss / h = 3e-4 an example, of many signs.
void expect_slopes(const net_plan& plan, std::size_t examples, int rounds) {
  filled_net net(plan, examples);
  const std::vector<float> g = net.gradient();
  std::mt19937_64 random(9);
  for (const parameter_group& group : groups_of(plan, false)) {
    const std::size_t size = group.rows * group.width;
    double length = 0;
    for (std::size_t i = 0; i < size; ++i) length += std::pow(static_cast<double>(g[group.offset + i]), 2);
    length = std::sqrt(length);
    ASSERT_GT(length, 1e-3) << group.name << " has no gradient to speak of";
    for (int round = 0; round < rounds; ++round) {
      std::vector<float> direction(g.size());
      double expected = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t j = group.offset + i;
        // The last round goes along the gradient itself.
        const double sign = random() % 2 == 0 ? 1.0 : -1.0;
        direction[j] = round == rounds - 1 ? static_cast<float>(static_cast<double>(g[j]) / length)
                                           : static_cast<float>(sign / std::sqrt(static_cast<double>(size)));
        expected += static_cast<double>(g[j]) * static_cast<double>(direction[j]);
      }
      EXPECT_NEAR(slope(net, direction, 0x1p-12f), expected, 0.02 * length + 2e-4) << group.name;
    }
  }
}

TEST_P(nets, gradients_agree_with_differences_layer_by_layer) {
  expect_slopes(*GetParam(), 100, 8);
}

/// The layers of a named net, on the smallest images of which its pools leave something.
net_plan made_smaller(const image_net& net, std::uint32_t side) {
  net_plan plan({net.layers.input().planes, side, side}, {});
  for (const placed_layer& at : net.layers) plan.add(at.layer);
  return plan;
}

TEST(net_workspace, gradients_of_the_named_nets_agree_with_differences_layer_by_layer) {
  // Fewer examples leave the mean of fewer kinks: the bound holds for 12 of them too.
  constexpr std::size_t examples = test::sanitized ? 12 : 48;
  expect_slopes(made_smaller(mnist_net, 16), examples, 3);
  expect_slopes(made_smaller(cifar_net, 16), examples, 3);
  expect_slopes(made_smaller(cifar_3x3_net, 16), examples, 3);
}

TEST_P(nets, nothing_stays_from_one_call_to_the_next) {
  filled_net net(*GetParam(), 21);
  const std::vector<float> first = net.gradient();
  const auto scores = net.scored();
  EXPECT_EQ(net.gradient(), first);
  const auto again = net.scored();
  for (std::size_t k = 0; k < net.n; ++k) {
    EXPECT_EQ(scores[k].loss, again[k].loss);
    EXPECT_EQ(scores[k].score, again[k].score);
  }
}

// The mean of a batch is the mean of its examples' gradients, however they are divided into passes.
TEST_P(nets, a_batch_is_the_mean_of_its_examples) {
  const net_plan& plan = *GetParam();
  const std::size_t n = 70;  // more than a pass of dense layers takes
  filled_net all(plan, n);
  const std::vector<float> g = all.gradient();
  std::vector<double> sum(g.size());
  double loss = 0;
  net_workspace one(plan, isa::automatic, 1);
  std::ranges::copy(all.space.parameters(), one.parameters().begin());
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> any(-1.0f, 1.0f);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t v = 0; v < plan.input().size(); ++v) one.input(0)[v * one.stride()] = any(random);
    const std::uint64_t key = random();
    one.describe(0, key, static_cast<float>(random() % plan.output().size()));
    loss += one.differentiate(1);
    for (std::size_t j = 0; j < g.size(); ++j) sum[j] += static_cast<double>(one.gradient()[j]);
  }
  EXPECT_NEAR(all.loss, loss / n, 1e-5);
  for (std::size_t j = 0; j < g.size(); ++j) ASSERT_NEAR(static_cast<double>(g[j]), sum[j] / n, 1e-5) << j;
}

TEST_P(nets, instruction_sets_agree) {
  filled_net plain(*GetParam(), 33, isa::scalar);
  const std::vector<float> expected = plain.gradient();
  const auto scores = plain.scored();
  for (const isa set : {isa::avx2, isa::avx512}) {
    if (!has_isa(set)) continue;
    filled_net net(*GetParam(), 33, set);
    const std::vector<float> g = net.gradient();
    for (std::size_t j = 0; j < g.size(); ++j) ASSERT_NEAR(g[j], expected[j], 1e-4) << name_of(set) << " at " << j;
    const auto scored = net.scored();
    for (std::size_t k = 0; k < net.n; ++k) EXPECT_NEAR(scored[k].loss, scores[k].loss, 1e-4);
  }
}

TEST(net_workspace, scoring_leaves_dropout_out) {
  const net_plan with({12, 1, 1}, {dense(8), relu(), dropout(0.9f), dense(3)});
  const net_plan without({12, 1, 1}, {dense(8), relu(), dense(3)});
  filled_net a(with, 10), b(without, 10);
  const auto first = a.scored(), second = b.scored();
  double mean = 0;
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_EQ(first[k].loss, second[k].loss);
    mean += second[k].loss / 10;
  }
  b.gradient();
  EXPECT_NEAR(b.loss, mean, 1e-6) << "without dropout both mean the same";
  a.gradient();
  EXPECT_NE(a.loss, b.loss);
}

TEST(net_workspace, parameters_of_the_named_nets) {
  EXPECT_EQ(convnet{}.dim(), 260u + 5'020u + 16'050u + 510u);
  EXPECT_EQ(convnet{.which = convolutional_net::cifar}.dim(), 760u + 5'020u + 25'050u + 510u);
  EXPECT_EQ(convnet{.which = convolutional_net::cifar_3x3}.dim(), 560u + 3'620u + 7'240u + 14'440u + 100'100u + 1'010u);
  const mlp two{.features = 100, .classes = 3, .hidden = {20, 10}};
  EXPECT_EQ(two.dim(), 101u * 20u + 21u * 10u + 11u * 3u);
  const auto groups = two.groups();
  ASSERT_EQ(groups.size(), 6u);
  EXPECT_TRUE(groups[0].hot_first && groups[0].rows == 100 && groups[0].width == 20);
  std::size_t end = 0;
  for (const parameter_group& g : groups) {
    EXPECT_EQ(g.offset, end) << g.name;
    EXPECT_EQ(g.l2, g.name.ends_with("weights"));
    end += g.rows * g.width;
  }
  EXPECT_EQ(end, two.dim());
}

TEST(net_workspace, weights_begin_within_the_bound_of_their_inputs) {
  const net_plan& plan = mnist_net.layers;
  std::vector<float> w(plan.parameters());
  initialise_net(plan, param_view<float>(std::span(w)), counter_random(1, 2));
  for (const placed_layer& at : plan) {
    if (!at.trains()) continue;
    const float bound = 1.0f / std::sqrt(static_cast<float>(at.inputs));
    const auto [least, most] = std::minmax_element(w.begin() + static_cast<std::ptrdiff_t>(at.weights),
                                                   w.begin() + static_cast<std::ptrdiff_t>(at.end()));
    EXPECT_GE(*least, -bound);
    EXPECT_LE(*most, bound);
    EXPECT_GT(*most - *least, bound) << "they are spread out";
  }
}

/// So wide that its first layer is multiplied in several parts.
const net_plan wide({150'000, 1, 1}, {dense(8), relu(), dense(2)});

// Inputs at both ends of each part and a few more, by hand in double precision; sums of a dozen products.
TEST(wide_nets, multiply_their_inputs_in_parts_that_add_up) {
  constexpr std::size_t examples = 64;
  net_workspace space(wide, isa::automatic, examples);
  std::vector<float> begin(wide.parameters());
  initialise_net(wide, param_view<float>(std::span(begin)), counter_random(3, 4));
  for (float& b : std::span(begin).subspan(wide[0].biases(), 8)) b = 0.25f;
  std::ranges::copy(begin, space.parameters().begin());
  std::vector<std::uint32_t> used{0, 149'999};
  for (std::uint32_t j = 7; j < 150'000; j += 12'345) used.push_back(j);
  for (std::size_t k = 0; k < examples; ++k) {
    for (const std::uint32_t j : used) space.input(k)[j * space.stride()] = static_cast<float>(k % 7) - 3.0f;
    space.describe(k, 0, static_cast<float>(k % 2));
  }
  std::vector<row_score> scores(examples);
  space.score(examples, scores);
  const double loss = space.differentiate(examples);
  const std::vector<float> gradient(space.gradient().begin(), space.gradient().end());
  double mean = 0.0, first_weight = 0.0, last_weight = 0.0;
  for (std::size_t k = 0; k < examples; ++k) {
    const double x = static_cast<double>(k % 7) - 3.0;
    double hidden[8], score[2], partial[2];
    for (std::size_t h = 0; h < 8; ++h) {
      double sum = static_cast<double>(begin[wide[0].biases() + h]);
      for (const std::uint32_t j : used) sum += x * static_cast<double>(begin[j * 8 + h]);
      hidden[h] = std::max(sum, 0.0);
    }
    for (std::size_t c = 0; c < 2; ++c) {
      score[c] = static_cast<double>(begin[wide[2].biases() + c]);
      for (std::size_t h = 0; h < 8; ++h)
        score[c] += hidden[h] * static_cast<double>(begin[wide[2].weights + h * 2 + c]);
    }
    const double sum = std::exp(score[0]) + std::exp(score[1]);
    const double own = std::log(sum) - score[k % 2];
    EXPECT_NEAR(scores[k].loss, own, 1e-4);
    mean += own / static_cast<double>(examples);
    for (std::size_t c = 0; c < 2; ++c) partial[c] = std::exp(score[c]) / sum - (c == k % 2 ? 1.0 : 0.0);
    double dh = 0.0;
    for (std::size_t c = 0; c < 2; ++c) dh += partial[c] * static_cast<double>(begin[wide[2].weights + c]);
    if (hidden[0] > 0.0) first_weight += x * dh / static_cast<double>(examples);
    dh = 0.0;
    for (std::size_t c = 0; c < 2; ++c) dh += partial[c] * static_cast<double>(begin[wide[2].weights + 7 * 2 + c]);
    if (hidden[7] > 0.0) last_weight += x * dh / static_cast<double>(examples);
  }
  EXPECT_NEAR(loss, mean, 1e-4);
  EXPECT_NEAR(gradient[0], first_weight, 1e-4);
  EXPECT_NEAR(gradient[149'999 * 8 + 7], last_weight, 1e-4);
  EXPECT_EQ(gradient[1 * 8], 0.0f);
}

TEST(wide_nets, are_left_between_two_parts_when_asked_and_emit_nothing) {
  struct counting_emit {
    void block(std::size_t, std::span<const float>) const { ++*blocks; }
    std::size_t* blocks;
  };
  std::size_t blocks = 0;
  const counting_emit emit{&blocks};
  const auto groups = groups_of(wide, true);
  net_workspace space(wide, isa::automatic, 64);
  for (std::size_t k = 0; k < 64; ++k) space.describe(k, 0, 0.0f);
  int asked = 0, limit = 1'000'000;
  space.stop_when([&] { return ++asked >= limit; });
  space.differentiate(64);
  space.emit(emit, groups);
  EXPECT_EQ(blocks, groups.size());
  // Three layers, the first in three parts, there and back.
  const int all = asked;
  EXPECT_GE(all, 10);
  for (limit = 1; limit <= all; ++limit) {
    asked = 0, blocks = 0;
    space.differentiate(64);
    space.emit(emit, groups);
    EXPECT_EQ(asked, limit) << "it goes on after it was told to stop";
    EXPECT_EQ(blocks, 0u);
  }
  asked = 0, limit = 2;
  std::vector<row_score> scores(64, {-1.0, 0.0f});
  space.score(64, scores);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(scores[0].loss, -1.0);
}

}  // namespace
