// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/tree_layer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/toy_data.hpp"

namespace {

using namespace hogwild;

constexpr std::size_t inputs = 5, rows = 16;

std::vector<float> uneven(std::size_t classes) {
  std::vector<float> counts(classes);
  for (std::size_t c = 0; c < classes; ++c)
    counts[c] = tree_layer::counted(static_cast<std::uint32_t>(1000 / (1 + (c * 7) % classes)));
  return counts;
}

/// A layer with weights and examples, all from one seed, and the result by the formula.
struct grown_layer {
  explicit grown_layer(std::size_t of, std::size_t batch = rows)
      : classes(of),
        layer(of, inputs, batch, rows),
        w(test::noise_vector((of - 1) * inputs, 1, -1.0, 1.0)),
        b(test::noise_vector(of - 1, 2, -1.0, 1.0)),
        h(test::noise_vector(inputs * rows, 3, -1.0, 1.0)),
        dh(inputs * rows, 7.0f) {
    const std::vector<float> counts = uneven(of);
    layer.grow(counts);
    std::vector<std::uint64_t> whole(counts.begin(), counts.end());
    tree = huffman_tree(whole);
  }
  double score(std::size_t k, std::size_t node) const {
    double s = static_cast<double>(b[node]);
    for (std::size_t v = 0; v < inputs; ++v)
      s += static_cast<double>(w[node * inputs + v]) * static_cast<double>(h[v * rows + k]);
    return s;
  }
  double loss(std::size_t k, std::size_t c) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < tree.nodes(c).size(); ++i) {
      const double s = score(k, tree.nodes(c)[i]);
      sum += std::log1p(std::exp(tree.bits(c)[i] == 0 ? -s : s));
    }
    return sum;
  }
  net_outputs at(std::size_t n) {
    part.assign(rows, 0.0f);
    std::fill_n(part.begin(), n, 1.0f / static_cast<float>(n));
    return {.examples = n, .rows = rows, .values = h.data(), .part = part.data(), .partials = dh.data()};
  }
  float read(std::size_t node, std::span<float> weights) const {
    std::copy_n(w.begin() + static_cast<std::ptrdiff_t>(node * inputs), inputs, weights.begin());
    return b[node];
  }

  std::vector<float> part{};  ///< of each lane
  std::size_t classes;
  tree_layer layer;
  huffman_tree tree;
  std::vector<float> w, b, h, dh;
};

TEST(tree_layer, losses_are_those_of_the_paths_whose_probabilities_sum_to_one) {
  for (const std::size_t classes : {2u, 3u, 7u, 40u}) {
    grown_layer f(classes);
    double all = 0.0, best = 1e9;
    std::size_t which = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<row_score> scores(1);
      f.layer.take(0, {{}, {}, static_cast<float>(c)});
      f.layer.score(
          f.at(1), [&](std::size_t node, std::span<float> to) { return f.read(node, to); }, [] { return false; },
          scores);
      EXPECT_NEAR(scores[0].loss, f.loss(0, c), 1e-5) << classes << " " << c;
      all += std::exp(-scores[0].loss);
      if (scores[0].loss < best) best = scores[0].loss, which = c;
      if (c + 1 == classes) {
        EXPECT_EQ(scores[0].score, static_cast<float>(which)) << "the most probable class";
      }
    }
    EXPECT_NEAR(all, 1.0, 1e-6);
  }
}

// The gradient of the mean over a row's classes is the mean of their gradients.
TEST(tree_layer, of_lists_it_takes_the_mean_over_the_classes) {
  const std::vector<std::uint32_t> list{2, 9, 15};
  grown_layer several(23), one(23);
  const auto read = [&](std::size_t node, std::span<float> to) { return several.read(node, to); };
  const auto load = [&](grown_layer& f) {
    f.layer.gather(1);
    row_slots& slots = f.layer.slots();
    for (std::size_t s = 0; s < slots.size(); ++s) slots.bias(s) = read(slots.rows()[s], slots.weights(s));
    f.layer.differentiate(f.at(1));
  };
  std::vector<double> dw(several.w.size()), dh(inputs);
  double loss = 0.0;
  for (const std::uint32_t c : list) {
    one.layer.take(0, {{}, {}, static_cast<float>(c)});
    load(one);
    loss += one.loss(0, c) / 3.0;
    for (std::size_t s = 0; s < one.layer.slots().size(); ++s)
      for (std::size_t v = 0; v < inputs; ++v)
        dw[one.layer.slots().rows()[s] * inputs + v] +=
            static_cast<double>(std::as_const(one.layer).slots().partials(s)[v]) / 3.0;
    for (std::size_t v = 0; v < inputs; ++v) dh[v] += static_cast<double>(one.dh[v * rows]) / 3.0;
  }
  several.layer.take(0, {{}, {}, 2.0f, list});
  load(several);
  const row_slots& slots = std::as_const(several.layer).slots();
  for (std::size_t s = 0; s < slots.size(); ++s)
    for (std::size_t v = 0; v < inputs; ++v)
      EXPECT_NEAR(static_cast<double>(slots.partials(s)[v]), dw[slots.rows()[s] * inputs + v], 1e-6);
  for (std::size_t v = 0; v < inputs; ++v) EXPECT_NEAR(static_cast<double>(several.dh[v * rows]), dh[v], 1e-6);

  std::vector<row_score> scores(1);
  std::vector<float> of_classes(23);
  several.layer.score(
      several.at(1), read, [] { return false; }, scores, of_classes);
  EXPECT_NEAR(scores[0].loss, loss, 1e-5);
  for (std::uint32_t c = 0; c < 23; ++c)
    EXPECT_NEAR(static_cast<double>(of_classes[c]), -several.loss(0, c), 1e-5) << c;
}

// Nodes whose scores are large, too: one way is then all but certain, and the other has the score's size.
TEST(tree_layer, scores_of_all_classes_are_those_of_each_row_and_read_every_node_once) {
  for (const float times : {1.0f, 30.0f}) {
    grown_layer f(23, rows);
    for (float& b : f.b) b *= times;
    std::size_t reads = 0;
    const auto read = [&](std::size_t node, std::span<float> weights) { return ++reads, f.read(node, weights); };
    std::vector<row_score> alone(11), scores(11);
    std::vector<float> of_classes(11 * 23);
    for (std::size_t k = 0; k < 11; ++k) f.layer.take(k, {{}, {}, static_cast<float>(k)});
    const auto never = [] { return false; };
    f.layer.score(f.at(11), read, never, alone);
    reads = 0;
    f.layer.score(f.at(11), read, never, scores, of_classes);
    std::size_t on_paths = 0;
    for (std::uint32_t k = 0; k < 11; ++k) {
      on_paths += f.tree.nodes(k).size();
      EXPECT_EQ(scores[k].loss, alone[k].loss);
      EXPECT_EQ(scores[k].score, alone[k].score);
      for (std::uint32_t c = 0; c < 23; ++c)
        EXPECT_NEAR(static_cast<double>(of_classes[k * 23 + c]), -f.loss(k, c), 2e-6 * (1.0 + f.loss(k, c)));
    }
    EXPECT_EQ(reads, 22 + on_paths);
  }
}

TEST(tree_layer, its_gradient_is_that_of_the_formula_and_touches_the_paths_alone) {
  constexpr std::size_t n = 11;
  grown_layer f(23, n);
  std::set<std::uint32_t> on_paths;
  std::vector<double> dw(f.w.size()), db(f.b.size()), dh(inputs * rows);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t c = k * 5 % f.classes;
    f.layer.take(k, {{}, {}, static_cast<float>(c)});
    for (std::size_t i = 0; i < f.tree.nodes(c).size(); ++i) {
      const std::uint32_t node = f.tree.nodes(c)[i];
      on_paths.insert(node);
      const double slope =
          (1.0 / (1.0 + std::exp(-f.score(k, node))) - (f.tree.bits(c)[i] == 0 ? 1.0 : 0.0)) / double{n};
      db[node] += slope;
      for (std::size_t v = 0; v < inputs; ++v) {
        dw[node * inputs + v] += slope * static_cast<double>(f.h[v * rows + k]);
        dh[v * rows + k] += slope * static_cast<double>(f.w[node * inputs + v]);
      }
    }
  }
  f.layer.gather(n);
  row_slots& slots = f.layer.slots();
  for (std::size_t s = 0; s < slots.size(); ++s) slots.bias(s) = f.read(slots.rows()[s], slots.weights(s));
  f.layer.differentiate(f.at(n));

  EXPECT_EQ(std::set<std::uint32_t>(slots.rows().begin(), slots.rows().end()), on_paths);
  EXPECT_EQ(slots.size(), on_paths.size());
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const std::size_t node = slots.rows()[s];
    EXPECT_NEAR(static_cast<double>(slots.bias_partials()[s]), db[node], 1e-6);
    for (std::size_t v = 0; v < inputs; ++v)
      EXPECT_NEAR(static_cast<double>(slots.partials(s)[v]), dw[node * inputs + v], 1e-6);
    EXPECT_GT(f.layer.chance(s), 0.0f);
    EXPECT_LE(f.layer.chance(s), 1.0f);
  }
  for (std::size_t j = 0; j < dh.size(); ++j) EXPECT_NEAR(static_cast<double>(f.dh[j]), dh[j], 1e-6);
}

// If a fraction p of the rows pass a node, 1 - (1 - p)^n of the batches of n rows have it; p is off by one row.
TEST(tree_layer, nodes_are_in_as_many_batches_as_their_rows_say) {
  tree_layer layer(3, inputs, 4, rows);
  const std::vector<float> counts{100.0f, 200.0f, 700.0f};
  layer.grow(counts);
  layer.take(0, {{}, {}, 0.0f});
  layer.gather(1);
  ASSERT_EQ(layer.slots().size(), 2u);  // the root, and the node of the two rarer classes
  EXPECT_NEAR(layer.chance(0), 1.0f, 0.002f);
  EXPECT_NEAR(layer.chance(1), 0.3f, 0.002f);
  for (std::size_t k = 0; k < 4; ++k) layer.take(k, {{}, {}, 1.0f});
  layer.gather(4);
  EXPECT_NEAR(layer.chance(1), 1.0f - std::pow(0.7f, 4.0f), 0.005f);
}

// Replicas may take the mean of their counts, which rounds.
TEST(tree_layer, counts_that_were_rounded_on_their_way_make_the_same_tree) {
  std::vector<float> counts = uneven(50), rounded = counts;
  counts.push_back(tree_layer::counted(4'000'000'000u));
  rounded.push_back(std::nextafter(counts.back(), 0.0f));
  for (std::size_t c = 0; c < 50; ++c) rounded[c] = std::nextafter(rounded[c], c % 2 == 0 ? 1e9f : -1e9f);
  tree_layer one(51, inputs, 51, rows), other(51, inputs, 51, rows);
  one.grow(counts), other.grow(rounded);
  for (std::size_t c = 0; c < 51; ++c) {
    one.take(0, {{}, {}, static_cast<float>(c)}), other.take(0, {{}, {}, static_cast<float>(c)});
    one.gather(1), other.gather(1);
    EXPECT_TRUE(std::ranges::equal(one.slots().rows(), other.slots().rows())) << c;
  }
}

TEST(tree_layer, counts_that_are_none_make_some_tree) {
  tree_layer layer(9, inputs, 1, rows);
  layer.grow(test::noise_vector(9, 4, -1e9, 1.0));
  layer.take(0, {{}, {}, 8.0f});
  layer.gather(1);
  EXPECT_GE(layer.slots().size(), 1u);
  for (std::size_t s = 0; s < layer.slots().size(); ++s) EXPECT_GT(layer.chance(s), 0.0f);
}

}  // namespace
