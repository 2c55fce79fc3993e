// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/label_tree_shape.hpp>

#include <cstddef>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using hogwild::label_tree_shape;

/// The children of all groups, each once: every node but the root is the child of one group.
std::multiset<std::size_t> all_children(const label_tree_shape& tree) {
  std::multiset<std::size_t> found;
  for (std::size_t level = 0; level <= tree.last_level(); ++level)
    for (std::size_t g = 0; g < tree.groups(level); ++g) {
      const label_tree_shape::run run = tree.children(level, g);
      for (std::size_t c = 0; c < run.count; ++c) found.insert(run.first + c);
    }
  return found;
}

TEST(label_tree_shape, of_a_few_classes_is_one_group_of_leaves) {
  const label_tree_shape tree(5, 5);
  EXPECT_EQ(tree.last_level(), 0u);
  EXPECT_EQ(tree.nodes(), 5u);
  EXPECT_EQ(tree.children(0, 0).first, 0u);
  EXPECT_EQ(tree.children(0, 0).count, 5u);
  EXPECT_EQ(tree.child_of(0, 3), 3u);
}

TEST(label_tree_shape, by_hand) {
  // 2^5 groups of 3 or 4 places: halved once below the root, then four times.
  const label_tree_shape tree(100, 4);
  ASSERT_EQ(tree.last_level(), 2u);
  EXPECT_EQ(tree.halvings(), 5u);
  EXPECT_EQ(tree.groups(1), 2u);
  EXPECT_EQ(tree.groups(2), 32u);
  EXPECT_EQ(tree.nodes(), 100u + 2 + 32);
  EXPECT_EQ(tree.most_children(), 16u);
  EXPECT_EQ(tree.group_of(1, 49), 0u);
  EXPECT_EQ(tree.group_of(1, 50), 1u);
  EXPECT_EQ(tree.children(0, 0).first, 100u);
  EXPECT_EQ(tree.children(1, 1).first, 100u + 2 + 16);
  EXPECT_EQ(tree.child_of(0, 50), 1u);
}

RC_GTEST_PROP(label_tree_shape, every_place_is_the_leaf_of_one_path, ()) {
  const auto classes = *rc::gen::inRange<std::size_t>(1, 3000);
  const auto leaves = *rc::gen::inRange<std::size_t>(2, 300);
  const label_tree_shape tree(classes, leaves);
  const auto nodes = all_children(tree);
  RC_ASSERT(nodes.size() == tree.nodes());
  std::size_t expected = 0;
  for (const std::size_t node : nodes) RC_ASSERT(node == expected++);
  for (std::size_t g = 0; g < tree.groups(tree.last_level()); ++g) {
    RC_ASSERT(tree.places(g).count > 0 || classes == 0);
    RC_ASSERT(tree.places(g).count <= leaves);
    RC_ASSERT(tree.places(g).count <= tree.most_children());
  }
  // The path of each place: a child of the root, its child, ..., the place.
  for (std::size_t place = 0; place < classes; ++place) {
    std::size_t group = 0;
    for (std::size_t level = 0; level < tree.last_level(); ++level) {
      const label_tree_shape::run run = tree.children(level, group);
      RC_ASSERT(tree.group_of(level, place) == group);
      RC_ASSERT(tree.child_of(level, place) < run.count);
      group = group * run.count + tree.child_of(level, place);
    }
    RC_ASSERT(tree.children(tree.last_level(), group).first + tree.child_of(tree.last_level(), place) == place);
  }
}

}  // namespace
