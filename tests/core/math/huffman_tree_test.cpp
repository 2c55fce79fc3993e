// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/huffman_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using hogwild::huffman_tree;
using leaf_counts = std::vector<std::uint64_t>;

std::string path_code(const huffman_tree& tree, std::size_t leaf) {
  std::string digits;
  for (const std::uint8_t bit : tree.bits(leaf)) digits += bit == 0 ? '0' : '1';
  return digits;
}
std::vector<std::string> path_codes(const huffman_tree& tree) {
  std::vector<std::string> codes;
  for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) codes.push_back(path_code(tree, leaf));
  return codes;
}

std::vector<std::uint32_t> path_nodes(const huffman_tree& tree, std::size_t leaf) {
  return {tree.nodes(leaf).begin(), tree.nodes(leaf).end()};
}

/// The length of the coded text: the sum over the leaves of count times length.
std::uint64_t code_cost(const huffman_tree& tree, const leaf_counts& of) {
  std::uint64_t sum = 0;
  for (std::size_t leaf = 0; leaf < of.size(); ++leaf) sum += of[leaf] * tree.nodes(leaf).size();
  return sum;
}

/// Checks that the paths are those of one binary tree with all of its inner nodes full: each step leads on to one node
/// or one leaf, the same for all paths, and both ways of each node are taken.
void expect_whole_tree(const huffman_tree& tree) {
  constexpr std::uint64_t leaf_mark = std::uint64_t{1} << 32;
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::uint64_t> leads;
  std::set<std::uint64_t> reached;
  std::size_t longest = 0;
  for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    const auto path = tree.nodes(leaf);
    const auto bits = tree.bits(leaf);
    ASSERT_EQ(path.size(), bits.size());
    ASSERT_EQ(path.front(), 0u);
    longest = std::max(longest, path.size());
    for (std::size_t k = 0; k < path.size(); ++k) {
      ASSERT_LT(path[k], tree.inner_nodes());
      const std::uint64_t to = k + 1 < path.size() ? path[k + 1] : leaf_mark + leaf;
      const auto [at, added] = leads.emplace(std::pair(path[k], bits[k]), to);
      ASSERT_EQ(at->second, to);
      ASSERT_EQ(added, reached.insert(to).second) << "two ways lead there";
      ASSERT_TRUE(k == 0 || path[k - 1] < path[k]);
    }
  }
  EXPECT_EQ(leads.size(), 2 * tree.inner_nodes());
  EXPECT_EQ(longest, tree.longest_path());
}

// By hand: 1 + 2 = 3 (joined first, node 3), 3 + 3 = 6 (the leaf of 3 is the lighter one: node 2), 5 + 6 = 11 (node 1)
// and 9 + 11 = 20 (node 0, the root).
TEST(huffman_tree, is_the_tree_made_by_hand) {
  const huffman_tree tree(leaf_counts{9, 5, 3, 2, 1});
  EXPECT_EQ(tree.leaves(), 5u);
  EXPECT_EQ(tree.inner_nodes(), 4u);
  EXPECT_EQ(tree.longest_path(), 4u);
  EXPECT_EQ(path_codes(tree), (std::vector<std::string>{"1", "01", "001", "0000", "0001"}));
  for (std::uint32_t leaf = 0; leaf < 5; ++leaf) {
    std::vector<std::uint32_t> from_the_root(std::min(leaf + 1, 4u));
    std::iota(from_the_root.begin(), from_the_root.end(), 0u);
    EXPECT_EQ(path_nodes(tree, leaf), from_the_root) << leaf;
  }
}

// By hand, for leaves in no order: 2 + 3 = 5 (leaves 3 and 0; node 3), 4 + 5 = 9 (leaf 1 and node 3; node 2), 6 + 7 =
// 13 (leaves 4 and 2; node 1), 9 + 13 = 22 (the root).
TEST(huffman_tree, takes_counts_in_any_order) {
  const huffman_tree tree(leaf_counts{3, 4, 7, 2, 6});
  EXPECT_EQ(path_codes(tree), (std::vector<std::string>{"100", "11", "00", "101", "01"}));
  EXPECT_EQ(path_nodes(tree, 3), (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(path_nodes(tree, 2), (std::vector<std::uint32_t>{0, 1}));
}

TEST(huffman_tree, of_one_leaf_or_none_has_no_nodes) {
  EXPECT_EQ(huffman_tree().leaves(), 0u);
  EXPECT_EQ(huffman_tree(leaf_counts{}).leaves(), 0u);
  EXPECT_EQ(huffman_tree(leaf_counts{}).inner_nodes(), 0u);
  const huffman_tree one(leaf_counts{7});
  EXPECT_EQ(one.leaves(), 1u);
  EXPECT_EQ(one.inner_nodes(), 0u);
  EXPECT_TRUE(one.nodes(0).empty());
  EXPECT_EQ(one.longest_path(), 0u);
}

TEST(huffman_tree, of_two_leaves_has_one_node) {
  for (const leaf_counts& of : {leaf_counts{5, 3}, leaf_counts{3, 5}, leaf_counts{4, 4}, leaf_counts{0, 0}}) {
    const huffman_tree two(of);
    const std::size_t lighter = of[0] < of[1] ? 0 : 1;
    EXPECT_EQ(path_code(two, lighter), "1");
    EXPECT_EQ(path_code(two, 1 - lighter), "0");
    expect_whole_tree(two);
  }
}

// Equal leaves make a tree whose depths differ by one at most; that is so because ties go to the leaf first.
TEST(huffman_tree, of_equal_counts_is_balanced) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()}) {
    const huffman_tree eight(leaf_counts(8, count)), eleven(leaf_counts(11, count));
    for (std::size_t leaf = 0; leaf < 8; ++leaf) EXPECT_EQ(eight.nodes(leaf).size(), 3u);
    for (std::size_t leaf = 0; leaf < 11; ++leaf) EXPECT_EQ(eleven.nodes(leaf).size(), leaf < 5 ? 3u : 4u) << leaf;
    expect_whole_tree(eleven);
  }
}

// With Fibonacci numbers each leaf joins the tree of all smaller ones: the longest possible path. 90 of them sum up to
// less than 2^64, and below them 64 zeros make a tree of depth 6.
TEST(huffman_tree, has_paths_longer_than_a_word_of_bits) {
  leaf_counts of{1, 1};
  while (of.size() < 90) of.push_back(of[of.size() - 1] + of[of.size() - 2]);
  EXPECT_EQ(huffman_tree(of).longest_path(), 89u);
  expect_whole_tree(huffman_tree(of));
  of.insert(of.end(), 64, 0);
  const huffman_tree tree(of);
  EXPECT_EQ(tree.longest_path(), 96u);
  expect_whole_tree(tree);
}

/// The least cost of any tree over these weights, by trying all pairs to join.
std::uint64_t least_code_cost(const leaf_counts& weights) {
  if (weights.size() < 2) return 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = i + 1; j < weights.size(); ++j) {
      leaf_counts rest = weights;
      rest[i] += rest[j];
      const std::uint64_t joined = rest[i];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(j));
      least = std::min(least, joined + least_code_cost(rest));
    }
  }
  return least;
}

TEST(huffman_tree, costs_no_more_than_any_other) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    leaf_counts of(2 + random() % 5);
    for (std::uint64_t& count : of) count = random() % (round % 2 == 0 ? 6 : 1000);
    const huffman_tree tree(of);
    EXPECT_EQ(code_cost(tree, of), least_code_cost(of));
    expect_whole_tree(tree);
  }
}

// If the longest path is short enough for whole numbers, the sum over leaves of 2^(longest - length) is 2^longest: the
// tree has no gap and no overlap.
TEST(huffman_tree, meets_krafts_equality) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 50; ++round) {
    leaf_counts of(2 + random() % 300);
    for (std::uint64_t& count : of) count = (random() % 1000) / (1 + random() % 100);
    const huffman_tree tree(of);
    ASSERT_LE(tree.longest_path(), 50u);
    std::uint64_t sum = 0;
    for (std::size_t leaf = 0; leaf < of.size(); ++leaf)
      sum += std::uint64_t{1} << (tree.longest_path() - tree.nodes(leaf).size());
    EXPECT_EQ(sum, std::uint64_t{1} << tree.longest_path());
    expect_whole_tree(tree);
  }
}

TEST(huffman_tree, gives_lighter_leaves_no_shorter_paths_and_lighter_nodes_higher_numbers) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 50; ++round) {
    leaf_counts of(2 + random() % 200);
    for (std::uint64_t& count : of) count = random() % 8;  // many ties, zeros among them
    const huffman_tree tree(of);
    leaf_counts weight(tree.inner_nodes());
    for (std::size_t a = 0; a < of.size(); ++a) {
      for (const std::uint32_t node : tree.nodes(a)) weight[node] += of[a];
      for (std::size_t b = 0; b < of.size(); ++b) {
        const bool heavier = of[a] > of[b] || (of[a] == of[b] && a < b);
        ASSERT_TRUE(!heavier || tree.nodes(a).size() <= tree.nodes(b).size());
      }
    }
    EXPECT_TRUE(std::ranges::is_sorted(weight, std::ranges::greater{}));
  }
}

// Counts as words have them, n / rank, in as many leaves as large vocabularies have.
TEST(huffman_tree, of_a_million_leaves_is_near_the_entropy) {
  constexpr std::size_t n = 1'048'576;
  leaf_counts of(n);
  for (std::size_t i = 0; i < n; ++i) of[i] = n / (i + 1);
  const huffman_tree tree(of);
  EXPECT_EQ(tree.inner_nodes(), n - 1);
  const auto all = static_cast<double>(std::accumulate(of.begin(), of.end(), std::uint64_t{0}));
  double entropy = 0;
  for (const std::uint64_t count : of)
    entropy -= static_cast<double>(count) / all * std::log2(static_cast<double>(count) / all);
  const double mean = static_cast<double>(code_cost(tree, of)) / all;
  EXPECT_GE(mean, entropy);
  EXPECT_LE(mean, entropy + 1.0);  // Huffman's bound; here it is nearer
}

}  // namespace
