// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/label_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/model/quiet_reader.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "support/owned_row.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr std::size_t leafy_columns = 12;

/// A tree with weights from a seed, over classes in a scattered order, and everything about it by the formula.
struct leafy {
  explicit leafy(std::size_t classes, std::size_t leaves, std::uint64_t seed = 1)
      : m{.features = leafy_columns, .classes = classes, .leaves = leaves},
        w(test::noise_vector(m.dim(), seed, -1.5, 1.5)),
        place_of(classes) {
    for (std::size_t c = 0; c < classes; ++c) place_of[c] = (c * 7 + 3) % classes;  // no class number has a factor 7
    for (std::size_t c = 0; c < classes; ++c) w[m.dim() - classes + c] = static_cast<float>(place_of[c]);
  }

  static std::vector<double> unit(const test::owned_row& row) {
    const sparse_row<float> z = row;
    std::vector<double> x(leafy_columns);
    double squares = 0.0;
    for (const auto [j, v] : z) squares += static_cast<double>(v) * static_cast<double>(v);
    for (const auto [j, v] : z) x[j] = static_cast<double>(v) / std::sqrt(squares);
    return x;
  }
  double score(const std::vector<double>& x, std::size_t node) const {
    const std::size_t width = m.shape().nodes();
    double s = static_cast<double>(w[leafy_columns * width + node]);
    for (std::size_t j = 0; j < leafy_columns; ++j) s += x[j] * static_cast<double>(w[j * width + node]);
    return s;
  }
  /// The nodes of a class's path, with the group of which each is a child.
  std::vector<std::size_t> path(std::size_t c) const {
    const label_tree_shape tree = m.shape();
    std::vector<std::size_t> nodes;
    for (std::size_t level = 0; level <= tree.last_level(); ++level)
      nodes.push_back(tree.children(level, tree.group_of(level, place_of[c])).first +
                      tree.child_of(level, place_of[c]));
    return nodes;
  }
  double log_probability(const std::vector<double>& x, std::size_t c) const {
    double sum = 0.0;
    for (const std::size_t node : path(c)) sum -= std::log1p(std::exp(-score(x, node)));
    return sum;
  }
  double loss(const std::vector<double>& x, const std::vector<std::uint32_t>& given) const {
    const label_tree_shape tree = m.shape();
    std::set<std::size_t> positive;
    std::set<std::pair<std::size_t, std::size_t>> visited{{0, 0}};
    for (const std::uint32_t c : given) {
      for (const std::size_t node : path(c)) positive.insert(node);
      for (std::size_t level = 1; level <= tree.last_level(); ++level)
        visited.insert({level, tree.group_of(level, place_of[c])});
    }
    double sum = 0.0;
    for (const auto& [level, group] : visited) {
      const label_tree_shape::run run = tree.children(level, group);
      for (std::size_t node = run.first; node < run.first + run.count; ++node)
        sum += std::log1p(std::exp(positive.contains(node) ? -score(x, node) : score(x, node)));
    }
    return sum;
  }

  row_score scored(const sparse_row<float>& z, std::span<float> of_classes = {}, std::size_t most = 5) const {
    label_tree_workspace space = m.make_workspace({}, isa::automatic, 1);
    row_score said;
    m.take(space, 0, z, counter_random(0, 0));
    m.score(detail::quiet_reader<>{w}, space, 1, {&said, 1}, of_classes, most);
    return said;
  }

  label_tree m;
  std::vector<float> w;
  std::vector<std::size_t> place_of;
};

test::owned_row leafy_row(std::uint64_t seed) {
  const std::vector<float> x = test::noise_vector(4, seed, 0.5, 3.0);
  const auto first = static_cast<std::uint32_t>(seed % 9);
  return {{first, first + 1, first + 3, first == 0 ? 11 : first - 1}, x};
}

TEST(label_tree, has_the_loss_of_the_groups_on_the_paths_of_a_row) {
  for (const auto& [classes, leaves] : {std::pair{5, 8}, {20, 4}, {100, 3}, {600, 2}}) {
    const leafy tree(static_cast<std::size_t>(classes), static_cast<std::size_t>(leaves));
    for (const std::vector<std::uint32_t>& given :
         {std::vector<std::uint32_t>{}, {3}, {0, 1, 4}, {1, static_cast<std::uint32_t>(classes) - 1}}) {
      const test::owned_row row = leafy_row(given.size() + 2);
      std::vector<std::uint32_t> room = given;
      room.reserve(1);
      sparse_row<float> z = row;
      z.classes = {room.data(), room.size()};
      const double expected = tree.loss(leafy::unit(row), given);
      EXPECT_NEAR(tree.scored(z).loss, expected, 1e-5 * (1.0 + expected)) << classes << " " << given.size();
    }
  }
}

// Uniform-cost search against all classes.
TEST(label_tree, finds_the_best_classes_that_a_look_at_all_finds) {
  for (const auto& [classes, leaves] : {std::pair{9, 2}, {100, 3}, {600, 2}, {600, 64}}) {
    const auto all = static_cast<std::size_t>(classes);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const leafy tree(all, static_cast<std::size_t>(leaves), seed);
      const test::owned_row row = leafy_row(seed);
      const std::vector<double> x = leafy::unit(row);
      std::vector<float> expected;
      for (std::size_t c = 0; c < all; ++c) expected.push_back(static_cast<float>(tree.log_probability(x, c)));
      for (const std::size_t most : {std::size_t{1}, std::size_t{7}, all}) {
        std::vector<float> found(all);
        const row_score said = tree.scored(row, found, most);
        const auto best = best_classes(expected, most);
        EXPECT_EQ(said.score, static_cast<float>(best.front()));
        // Of nearly equal ones rounding may put another first.
        const auto in_order = best_classes(found, most);
        ASSERT_EQ(in_order.size(), best.size());
        for (std::size_t i = 0; i < best.size(); ++i)
          EXPECT_NEAR(expected[in_order[i]], expected[best[i]], 1e-4) << classes << " " << seed << " " << i;
        std::size_t left_out = 0;
        for (std::size_t c = 0; c < all; ++c) {
          const bool none = found[c] == std::numeric_limits<float>::lowest();
          left_out += none;
          if (none) {
            EXPECT_LT(expected[c], tree.m.decision(found)) << c;
          } else {
            EXPECT_NEAR(found[c], expected[c], 1e-4) << c;
          }
        }
        EXPECT_EQ(left_out > 0, most < all);
      }
    }
  }
}

// Without weights every class of a group is as probable as any other.
TEST(label_tree, of_equally_probable_classes_the_lower_comes_first) {
  leafy tree(64, 4);
  std::fill(tree.w.begin(), tree.w.end() - 64, 0.0f);
  std::vector<float> found(64);
  EXPECT_EQ(tree.scored(leafy_row(1), found).score, 0.0f);
  EXPECT_EQ(best_classes(found, 5), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(label_tree, probable_classes_are_found_however_many_there_are) {
  leafy tree(30, 4);
  std::fill(tree.w.begin(), tree.w.end() - 30, 0.0f);
  for (std::size_t node = 0; node < tree.m.shape().nodes(); ++node)
    tree.w[leafy_columns * tree.m.shape().nodes() + node] = 6.0f;
  std::vector<float> found(30);
  tree.scored(leafy_row(1), found, 2);
  EXPECT_EQ(std::ranges::count_if(found, [&](float s) { return s > tree.m.decision(found); }), 30);
}

// Rows of class c have the columns of cluster c mod 4, and each class one of its own.
TEST(label_tree, classes_with_similar_rows_are_put_together) {
  constexpr std::size_t classes = 32;
  test::toy_rows data;
  data.columns = 4 * 6 + classes;
  for (std::uint32_t r = 0; r < 320; ++r) {
    const std::uint32_t c = r % classes, cluster = c % 4 * 6;
    data.push({cluster + r % 6, cluster + (r + 1) % 6, cluster + (r + 2) % 6, 24 + c}, {1.0f, 1.0f, 1.0f, 0.5f},
              static_cast<float>(c));
  }
  const csr_rows rows = data.csr();
  const label_map labels = label_map::learn(label_kind::classes, rows.view().label, "the rows");
  const label_tree_shape shape(classes, 8);
  const std::vector<std::uint32_t> order = class_order(rows.view(), labels, shape);
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), classes);
  for (std::size_t g = 0; g < 4; ++g) {
    const auto group = std::span(order).subspan(shape.places(g).first, shape.places(g).count);
    for (const std::uint32_t c : group) EXPECT_EQ(c % 4, group.front() % 4) << g;
    EXPECT_TRUE(std::ranges::is_sorted(group));
  }
  EXPECT_EQ(class_order(rows.view(), labels, shape), order);
}

TEST(label_tree, begins_with_the_order_of_its_classes) {
  const label_tree m{.features = 3, .classes = 6, .leaves = 2};
  std::vector<float> w(m.dim());
  m.init(param_view<float>(std::span(w)), counter_random(1, 2));
  EXPECT_THAT(std::vector<float>(w.end() - 6, w.end()), testing::ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(std::count(w.begin(), w.end() - 6, 0.0f), static_cast<std::ptrdiff_t>(m.dim()) - 6);
}

TEST(label_tree, is_a_class_loss_of_softmax_and_a_model_of_its_own) {
  const auto tree = [](const char* model, const model_options& options) {
    return std::get<label_tree>(make_model(model, {}, options));
  };
  EXPECT_EQ(tree("softmax", {{"class-loss", "label_tree"}}).leaves, 256u);
  EXPECT_EQ(tree("softmax", {{"class-loss", "label_tree"}, {"leaves", "9"}}).leaves, 9u);
  EXPECT_EQ(tree("label_tree", {{"leaves", "9"}}).leaves, 9u);
  EXPECT_EQ(model_named("softmax").epochs({{"class-loss", "label_tree"}}), model_named("label_tree").epochs({}));
  EXPECT_EQ(model_named("softmax").epochs({}), 0u);
  EXPECT_THROW(make_model("softmax", {}, {{"leaves", "9"}}), config_error);
  EXPECT_THROW(make_model("softmax", {}, {{"class-loss", "one_vs_rest"}, {"leaves", "9"}}), config_error);
  EXPECT_THROW(tree("label_tree", {{"leaves", "1"}}), config_error);
}

TEST(label_tree, saved_trees_predict_the_same_in_the_numbering_of_the_input) {
  const leafy tree(30, 4);
  std::vector<double> values(30);
  std::iota(values.begin(), values.end(), 1.0);
  std::vector<std::uint32_t> original(leafy_columns);
  for (std::uint32_t j = 0; j < leafy_columns; ++j) original[j] = 100 - j;
  const label_map labels(label_kind::classes, values);
  const saved_model saved = to_saved(tree.m, tree.w, labels, original);
  const predictor read(saved);
  EXPECT_EQ(std::get<label_tree>(read.model()).leaves, 4u);
  const test::owned_row row = leafy_row(5);
  std::vector<std::uint32_t> turned;
  const sparse_row<float> plain = row;
  for (const auto [j, x] : plain) turned.push_back(static_cast<std::uint32_t>(leafy_columns) - 1 - j);
  const test::owned_row there{turned, {plain.value.begin(), plain.value.end()}};
  EXPECT_EQ(read.score(there), tree.scored(row).score);
  const std::vector<double> p = read.probabilities(there);
  ASSERT_EQ(p.size(), 30u);
  for (std::size_t c = 0; c < 30; ++c) EXPECT_NEAR(std::log(p[c]), tree.log_probability(leafy::unit(row), c), 1e-4);
  const class_scores few = read.scores_of(there, 3);
  EXPECT_TRUE(few.logarithms);
  EXPECT_GT(std::ranges::count(few.scores, std::numeric_limits<float>::lowest()), 0);

  for (const char* const option : {"leaves", "bias"}) {
    saved_model lacking = saved;
    std::erase_if(lacking.model_options, [&](const auto& o) { return o.first == option; });
    EXPECT_THROW(predictor{lacking}, input_error) << option;
  }
  saved_model cut = saved;
  cut.bias.pop_back();
  EXPECT_THROW(predictor{cut}, input_error);
  saved_model other = saved;
  other.model_options = {{"leaves", 30.0}, {"bias", 1.0}};
  EXPECT_THROW(predictor{other}, input_error);
}

TEST(label_tree, begins_with_all_of_a_saved_tree_or_with_nothing_of_its_nodes) {
  const leafy tree(30, 4);
  std::vector<double> values(30);
  std::iota(values.begin(), values.end(), 1.0);
  std::vector<std::uint32_t> original(leafy_columns);
  std::iota(original.begin(), original.end(), 0u);
  const saved_model saved = to_saved(tree.m, tree.w, label_map(label_kind::classes, values), original);
  const auto made = [&](const std::vector<std::string>& groups, const model_options& options = {}) {
    return std::get<label_tree>(
        make_model("label_tree", {.initial = &saved, .initial_source = "before", .initial_groups = groups}, options));
  };
  EXPECT_EQ(made({}).leaves, 4u);
  EXPECT_EQ(made({}, {{"leaves", "7"}}).leaves, 7u);
  EXPECT_EQ(made({"weights", "bias", "classes.order"}).leaves, 4u);
  EXPECT_THROW(made({"weights", "bias"}), config_error);
  EXPECT_TRUE(made({}).bias);
  EXPECT_THROW(made({"classes.order"}), config_error);
}

}  // namespace
}  // namespace hogwild
