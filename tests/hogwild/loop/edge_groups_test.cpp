// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/edge_groups.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/formats/graphs.hpp>

#include "support/toy_data.hpp"

namespace {

using namespace hogwild;

/// A path of 300 nodes, each with a terminal; all nodes also have an edge to one of them. Rows are in no order, and
/// some are nodes.
class edges_in_groups : public testing::Test {
 protected:
  static constexpr std::uint32_t nodes = 300, hub = 7;
  using edge = std::tuple<std::uint32_t, std::uint32_t, float, float>;

  edges_in_groups() {
    rows_.columns = nodes + 2;
    for (std::uint32_t j = 0; j < nodes; ++j) number.push_back(node_column(nodes - j));  // the other way round
    number.push_back(terminal_column(1));
    number.push_back(terminal_column(0));
    std::vector<edge> all;
    for (std::uint32_t j = 0; j < nodes; ++j) {
      const auto c = static_cast<float>(j);
      if (j + 1 < nodes) all.push_back({j, j + 1, c, c + 0.5f});
      all.push_back(j % 2 == 0 ? edge{j, nodes + j / 2 % 2, c, 1.0f} : edge{nodes + j / 2 % 2, j, 1.0f, c});
      if (j != hub) all.push_back({j, hub, 2.0f, 3.0f});
    }
    std::ranges::shuffle(all, std::mt19937_64(3));
    for (const auto& [u, v, forth, back] : all) {
      rows_.push({u, v}, {forth, back}, -1.0f);
      if (u % 5 == 0) rows_.push({u % nodes}, {1.0f}, 1.0f);
      edges.insert(u >= nodes ? edge{v, nodes + side(u), back, forth}
                              : edge{u, v >= nodes ? nodes + side(v) : v, forth, back});
    }
    rows_.push({nodes, nodes + 1}, {1.0f, 1.0f}, -1.0f);  // between terminals: nothing to train
    data.emplace(rows_.csr());
  }
  static std::uint32_t side(std::uint32_t column) { return column == nodes ? 1 : 0; }

  edge_groups made(std::size_t rows_per_chunk) {
    sparse_view view = data->view();
    view.original = number;
    const std::vector<std::uint32_t> terminals{1, 0};
    return edge_groups_of(view, nodes, terminals, chunk_plan(view.rows(), rows_per_chunk));
  }

  std::vector<std::uint32_t> number;
  std::multiset<edge> edges;
  std::optional<csr_rows> data;

 private:
  test::toy_rows rows_;
};

TEST_F(edges_in_groups, are_all_there_once_and_those_of_a_group_have_no_node_in_common) {
  for (const std::size_t rows_per_chunk : {16u, 100u, 600u, 5000u}) {
    const edge_groups found = made(rows_per_chunk);
    std::multiset<edge> seen;
    for (std::size_t e = 0; e < found.u.size(); ++e)
      seen.insert({found.u[e], found.v[e], found.forth[e], found.back[e]});
    EXPECT_EQ(seen, edges);
    for (std::size_t g = 0; g + 1 < found.groups.size(); ++g) {
      std::set<std::uint32_t> ends;
      ASSERT_LE(found.groups[g + 1] - found.groups[g], cut_lanes);
      for (std::size_t e = found.groups[g]; e < found.groups[g + 1]; ++e) {
        ASSERT_LT(found.u[e], nodes);
        ASSERT_TRUE(ends.insert(found.u[e]).second);
        ASSERT_TRUE(found.v[e] >= nodes || ends.insert(found.v[e]).second);
      }
    }
    EXPECT_EQ(found.groups.back(), found.u.size());
  }
}

TEST_F(edges_in_groups, follow_each_other_as_the_nodes_do_in_the_input) {
  const edge_groups found = made(600);
  const std::size_t rows = data->view().rows(), windows = found.windows.size() - 1;
  ASSERT_EQ(windows, (rows + 599) / 600 * 3 - (rows % 600 == 0 || rows % 600 > 512 ? 0 : rows % 600 > 256 ? 1 : 2));
  EXPECT_EQ(found.window_of(0), 0u);
  EXPECT_EQ(found.window_of(599), 2u);
  EXPECT_EQ(found.window_of(600), 3u);
  EXPECT_EQ(found.window_of(rows - 1), windows - 1);
  // Column j is node nodes - j. The first end of an edge is the one with the larger column, except for the hub's edges.
  std::uint32_t least_before = nodes;
  for (std::size_t w = 0; w < windows; ++w) {
    std::uint32_t least = nodes, most = 0;
    for (std::size_t e = found.groups[found.windows[w]]; e < found.groups[found.windows[w + 1]]; ++e) {
      const std::uint32_t first = found.v[e] < nodes ? std::max(found.u[e], found.v[e]) : found.u[e];
      least = std::min(least, first), most = std::max(most, first);
    }
    EXPECT_LE(most, least_before) << w;
    least_before = least;
  }
}

// Node numbers with large gaps are sorted in another way, with the same result.
TEST_F(edges_in_groups, are_the_same_whatever_gaps_the_numbers_of_nodes_have) {
  const edge_groups near = made(600);
  for (std::uint32_t& n : number) n = is_node_column(n) ? 2001 * n : n;
  const edge_groups far = made(600);
  EXPECT_EQ(near.u, far.u);
  EXPECT_EQ(near.v, far.v);
  EXPECT_EQ(near.groups, far.groups);
}

TEST(edge_groups, of_no_rows_and_of_no_edges_are_none) {
  test::toy_rows none;
  none.columns = 3;
  const csr_rows empty = none.csr();
  EXPECT_TRUE(edge_groups_of(empty.view(), 3, {}, chunk_plan(0, 64)).u.empty());
  none.push({1}, {1.0f}, 0.0f);
  const csr_rows one = none.csr();
  const edge_groups found = edge_groups_of(one.view(), 3, {}, chunk_plan(1, 64));
  EXPECT_EQ(found.windows, (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(found.groups, (std::vector<std::uint32_t>{0}));
}

}  // namespace
