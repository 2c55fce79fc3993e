// SPDX-License-Identifier: Apache-2.0
// Vectors of the nodes of a graph from its edges (line), as users make them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <hogwild/word_vectors.hpp>
#include <random>
#include <string>

#include <hogwild/detail/kernels/bf16_kernels.hpp>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

constexpr std::size_t communities = 4, members = 15;

/// Edges between the nodes of a community, by chance two of five, and from each node one to any.
std::string planted_communities() {
  std::mt19937_64 random(1);
  std::string edges;
  const auto add = [&](std::size_t u, std::size_t v) {
    if (u != v) edges += "n" + std::to_string(u) + " n" + std::to_string(v) + "\n";
  };
  for (std::size_t u = 0; u < communities * members; ++u) {
    for (std::size_t v = u + communities; v < communities * members; v += communities)
      if (random() % 5 < 2) add(u, v);
    add(u, random() % (communities * members));
  }
  return edges;
}

class nodes : public with_folder {
 protected:
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    write_file(file("edges.txt"), planted_communities());
  }
  static command_words training(const command_words& more) {
    return {"train", file("edges.txt"), "--model line --dimension 16 --quiet", more};
  }
};

// Of 59 others 14 are of the same community: by chance 71 of these 300 neighbours are.
TEST_F(nodes, of_a_community_are_near_each_other) {
  std::string names;
  for (std::size_t node = 0; node < communities * members; ++node) names += "n" + std::to_string(node) + "\n";
  write_file(file("names"), names);
  for (const char* const proximity : {"first", "second", "both"}) {
    const std::string saved = file("nodes.vec");
    const outcome o = hogwild(training({"--engine serial --proximity", proximity, "--save", saved}));
    ASSERT_EQ(o.code, 0) << o.err;
    std::size_t right = 0;
    for (const std::string& line : lines_of(hogwild({"neighbors", saved, file("names"), "--top 5"}).out)) {
      const auto number = [&](std::size_t at) { return std::stoul(line.substr(at + 1)); };
      if (number(0) % communities == number(line.find('\t') + 1) % communities) ++right;
    }
    EXPECT_GT(right, 200u) << proximity;
  }
}

// The vectors of each order have the length 1, as no run leaves them.
TEST_F(nodes, have_joined_vectors_of_both_orders) {
  const std::string saved = file("both.vec");
  ASSERT_EQ(hogwild(training({"--epochs 2 --engine serial --save", saved})).code, 0);
  const word_vectors vectors = load_word_vectors(saved);
  EXPECT_EQ(vectors.words.size(), communities * members);
  EXPECT_EQ(vectors.dimension, 16u);
  EXPECT_EQ(std::ranges::count(vectors.words, "n59"), 1);
  for (std::size_t node = 0; node < vectors.words.size(); ++node)
    for (const std::size_t half : {0u, 8u}) {
      double square = 0.0;
      for (const float x : vectors.row(node).subspan(half, 8))
        square += static_cast<double>(x) * static_cast<double>(x);
      EXPECT_NEAR(square, 1.0, 1e-5);
    }
  EXPECT_EQ(result_of(training({"--epochs 2 --json --init", saved}))["status"], "done");
}

TEST_F(nodes, of_two_or_of_many_edges_bear_every_step) {
  write_file(file("pair.txt"), "a b 1000000\n");
  write_file(file("star.txt"), [] {
    std::string edges;
    for (int leaf = 0; leaf < 100; ++leaf) edges += "hub " + std::to_string(leaf) + "\n";
    return edges;
  }());
  for (const char* const graph : {"pair.txt", "star.txt", "edges.txt"})
    for (const char* const seed : {"1", "2"}) {
      const std::string saved = file("hard.vec");
      const outcome o = hogwild({"train", file(graph), "--model line --dimension 4 --negative 1000 --step 10 --quiet",
                                 "--epochs 30 --engine threads --workers 2 --seed", seed, "--save", saved});
      ASSERT_EQ(o.code, 0) << o.err;
      for (const float x : load_word_vectors(saved).values) ASSERT_TRUE(std::isfinite(x)) << graph;
    }
}

TEST_F(nodes, have_the_bits_of_any_number_of_workers) {
  for (const char* const proximity : {"first", "second", "both"}) {
    const auto by = [&](const char* workers) {
      const std::string to = file("bits.vec");
      const outcome o =
          hogwild(training({"--epochs 2 --reproducible --workers", workers, "--proximity", proximity, "--save", to}));
      EXPECT_EQ(o.code, 0) << o.err;
      return read_file(to);
    };
    EXPECT_TRUE(by("1") == by("3")) << proximity;
    expect_same_when_resumed(training({"--engine serial --proximity", proximity}), 2);
  }
}

TEST_F(nodes, have_other_bits_by_products_in_bf16) {
  if (bf16_forms().empty()) GTEST_SKIP() << "this processor does not multiply bfloat16";
  for (const char* const model : {"line", "node_vectors"}) {
    const auto by = [&](const char* products) {
      const std::string to = file("products.vec");
      const outcome o = hogwild({"train", file("edges.txt"), "--dimension 16 --epochs 2 --engine serial --quiet",
                                 "--products", products, "--model", model, "--save", to});
      EXPECT_EQ(o.code, 0) << o.err;
      return read_file(to);
    };
    const std::string rounded = by("bf16");
    EXPECT_FALSE(rounded.empty());
    EXPECT_TRUE(rounded == by("bf16")) << model;
    EXPECT_FALSE(rounded == by("float")) << model;
  }
}

TEST_F(nodes, every_engine_trains_them) {
  for (const char* const engine : {"threads --workers 2", "processes --workers 2", "all_reduce --workers 2"})
    EXPECT_EQ(result_of(training({"--epochs 2 --json --engine", engine}))["status"], "done") << engine;
}

}  // namespace
}  // namespace hogwild::test
