// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/node_graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/formats/edges.hpp>

namespace {

using namespace hogwild;

/// What chi-square with so many degrees of freedom exceeds once in a million (Wilson and Hilferty, 1931).
double one_in_a_million(std::size_t freedom) {
  const double n = static_cast<double>(freedom), part = 2.0 / (9.0 * n);
  return n * std::pow(1.0 - part + 4.753 * std::sqrt(part), 3.0);
}

/// Outcomes, their expected and their seen numbers. The draws are the same always, so the tests fail for a wrong rule,
/// or never.
class drawn_outcomes {
 public:
  /// Outcomes of one draw, whose chances are `expected` divided by their sum. Those that are expected less often than
  /// 20 times count as one, or not at all if all of them are.
  template <class Expected, class Seen>
  void add(const Expected& expected, const Seen& seen) {
    double rare = 0.0, seen_rare = 0.0;
    std::size_t outcomes = 0;
    const auto count = [&](double expect, double times) {
      chi_square_ += (times - expect) * (times - expect) / expect;
      ++outcomes;
    };
    for (const auto& [key, expect] : expected) {
      const auto found = seen.find(key);
      const double times = found == seen.end() ? 0.0 : found->second;
      if (expect >= 20.0)
        count(expect, times);
      else
        rare += expect, seen_rare += times;
    }
    if (rare >= 20.0) count(rare, seen_rare);
    for (const auto& [key, times] : seen) EXPECT_TRUE(expected.contains(key)) << "impossible";
    freedom_ += std::max<std::size_t>(outcomes, 1) - 1;
  }
  void expect_usual(const std::string& of) const {
    ASSERT_GE(freedom_, 2u) << of << ": too few draws";
    EXPECT_LT(chi_square_, one_in_a_million(freedom_)) << of;
  }

 private:
  double chi_square_ = 0.0;
  std::size_t freedom_ = 0;
};

struct tried_graph {
  const char* name;
  const char* edges;
  bool directed = false;
};
// A triangle with a tail and a loop, a clique of five whose nodes have hardly anywhere else to go, edges that lead on.
constexpr tried_graph graphs[] = {
    {"plain", "a b\nb c\nc a\nc d\nd e\nd f\nd d\n"},
    {"weighted", "a b 1\nb c 0.5\nc a 3\nc d 2\nd e 0.25\nd f 7\nd d 1\n"},
    {"clique", "a b\na c\na d\na e\nb c\nb d\nb e\nc d\nc e\nd e\n"},
    {"directed", "a b 2\nb a 1\nb c 3\nc a 1\na c 1\nc d 1\nd a 5\nd b 1\n", true},
};

std::map<std::pair<std::uint32_t, std::uint32_t>, double> weights_of(const sparse_view& rows) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> all;
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> z = cursor.row(r);
    for (const auto [to, weight] : z)
      if (weight > 0.0f) all[{z.index[0], to}] = static_cast<double>(weight);
  }
  return all;
}

// Steps of walks from each node, against the chances by the definition: the first two, and a later one by the two nodes
// before it, which shows that steps draw numbers of their own. q = 0.02 makes walks in a clique look at all neighbours
// of a node, because hardly any that is drawn is taken.
TEST(node_graph, walks_go_by_the_chances_of_the_second_order) {
  using node = std::uint32_t;
  for (const tried_graph& g : graphs) {
    const corpus read = read_edges(g.edges, g.name, {.directed = g.directed});
    const sparse_view rows = read.rows.view();
    const auto weight = weights_of(rows);
    const node_graph graph(rows);
    for (const auto& [p, q] : {std::pair{1.0, 1.0}, {0.25, 4.0}, {4.0, 0.25}, {2.0, 0.02}}) {
      // How often walks go on to each node, of `walks` that stand at `here` and come from `before`, if that is a node.
      const auto next = [&, p = p, q = q](double walks, node here, node before) {
        std::map<node, double> expected;
        double total = 0.0;
        for (const auto& [ends, w] : weight) {
          const auto& [from, to] = ends;
          if (from != here) continue;
          const bool begins = before == graph.nodes();
          const double factor = begins ? 1.0 : to == before ? 1.0 / p : weight.contains({before, to}) ? 1.0 : 1.0 / q;
          total += expected[to] = w * factor;
        }
        for (auto& [to, times] : expected) times *= walks / total;
        return expected;
      };
      const walk_rule rule{7, static_cast<float>(p), static_cast<float>(q)};
      constexpr std::size_t walks = 10'000;
      drawn_outcomes first, last;
      std::map<std::pair<node, node>, std::map<node, double>> later;
      for (node from = 0; from < graph.nodes(); ++from) {
        std::map<std::pair<node, node>, double> expected, seen;
        for (const auto& [to, times] : next(walks, from, static_cast<node>(graph.nodes())))
          for (const auto& [then, of_these] : next(times, to, from)) expected[{to, then}] = of_these;
        std::vector<node> path;
        for (std::size_t k = 0; k < walks; ++k) {
          graph.walk(from, rule, counter_random(from, k), path);
          ASSERT_EQ(path.size(), 7u);
          ++seen[{path[1], path[2]}];
          ++later[{path[4], path[5]}][path[6]];
        }
        first.add(expected, seen);
      }
      for (const auto& [ends, seen] : later) {
        double total = 0.0;
        for (const auto& [to, times] : seen) total += times;
        last.add(next(total, ends.second, ends.first), seen);
      }
      const std::string told = g.name + (" by " + std::to_string(p)) + " and " + std::to_string(q);
      first.expect_usual(told);
      last.expect_usual(told + ", a later step");
    }
  }
}

TEST(node_graph, walks_end_where_no_edge_leads_on) {
  const corpus read = read_edges("a b\nb c\nx x\n", "graph", {.directed = true});
  const node_graph graph(read.rows.view());
  const auto walk_from = [&](std::string_view name) {
    std::vector<std::uint32_t> path;
    graph.walk(*read.words.find(name), {.length = 5}, counter_random(1, 1), path);
    std::string names;
    for (const std::uint32_t node : path) names += read.words.word(node);
    return names;
  };
  EXPECT_EQ(walk_from("a"), "abc");
  EXPECT_EQ(walk_from("c"), "c");
  EXPECT_EQ(walk_from("x"), "xxxxx");
}

TEST(node_graph, edges_are_drawn_by_their_weights) {
  for (const tried_graph& g : graphs) {
    const corpus read = read_edges(g.edges, g.name, {.directed = g.directed});
    const node_graph graph(read.rows.view());
    auto expected = weights_of(read.rows.view());
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> seen;
    double total = 0.0;
    for (const auto& [ends, weight] : expected) total += weight;
    constexpr std::size_t draws = 100'000;
    for (auto& [ends, weight] : expected) weight *= draws / total;
    const counter_random random(4, 1);
    for (std::size_t k = 0; k < draws; ++k) ++seen[graph.edge(random.bits(2 * k), random.bits(2 * k + 1))];
    drawn_outcomes drawn;
    drawn.add(expected, seen);
    drawn.expect_usual(g.name);
  }
}

TEST(node_graph, contrast_is_drawn_by_the_weight_of_edges_that_lead_to_a_node) {
  const corpus read = read_edges("a b 4\na c 1\nb c 1\n", "graph", {.directed = true});
  const node_graph graph(read.rows.view());
  std::map<std::string, double> expected{{"a", 1.0}, {"b", std::pow(3.0, 0.75)}, {"c", std::pow(2.0, 0.75)}}, seen;
  double total = 0.0;
  for (const auto& [name, mass] : expected) total += mass;
  constexpr std::size_t draws = 100'000;
  for (auto& [name, mass] : expected) mass *= draws / total;
  const counter_random random(3, 1);
  for (std::size_t k = 0; k < draws; ++k) ++seen[std::string(read.words.word(graph.contrast(random.bits(k))))];
  drawn_outcomes drawn;
  drawn.add(expected, seen);
  drawn.expect_usual("contrast");
}

}  // namespace
