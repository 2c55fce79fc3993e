// SPDX-License-Identifier: Apache-2.0
// Graphs from the command line: train, evaluate, predict; cuts against those that maximal flows prove.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "command.hpp"
#include "support/exact_cut.hpp"

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

/// Nodes 0 and 1 are source and sink. Neighbours on a ring of nodes have edges both ways, some nodes are tied to an
/// end.
struct flow_problem {
  std::size_t nodes = 60;
  std::vector<capacity_edge> edges{};

  explicit flow_problem(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t v = 2; v < nodes; ++v) {
      for (const std::size_t far : {1u, 2u, 7u})
        edges.push_back(
            {v, 2 + (v - 2 + far) % (nodes - 2), static_cast<long>(random() % 8), static_cast<long>(random() % 8)});
      if (random() % 2 == 0) edges.push_back({0, v, static_cast<long>(random() % 12), 0});
      if (random() % 2 == 0) edges.push_back({v, 1, static_cast<long>(random() % 12), 0});
    }
  }
  std::string text() const {
    std::string arcs;
    std::size_t count = 0;
    const auto add = [&](std::size_t from, std::size_t to, long capacity) {
      arcs += "a " + std::to_string(from + 1) + " " + std::to_string(to + 1) + " " + std::to_string(capacity) + "\n";
      ++count;
    };
    for (const capacity_edge& e : edges) {
      add(e.u, e.v, e.forth);
      if (e.back > 0) add(e.v, e.u, e.back);
    }
    return "p max " + std::to_string(nodes) + " " + std::to_string(count) + "\nn 1 s\nn 2 t\n" + arcs;
  }
  double least() const { return static_cast<double>(exact_cut(nodes, edges, 0, 1)); }
};

/// Three circles of nodes with a few edges between them; each node's label is its circle.
std::string circles(std::size_t each) {
  std::mt19937_64 random(3);
  std::string nodes, edges;
  std::size_t count = 0;
  const auto add = [&](std::size_t u, std::size_t v) {
    edges += "e " + std::to_string(u) + " " + std::to_string(v) + "\n";
    ++count;
  };
  for (std::size_t v = 0; v < 3 * each; ++v) {
    const std::size_t circle = v / each;
    nodes += "v " + std::to_string(v) + " " + std::to_string(circle) + "\n";
    for (const std::size_t far : {1u, 2u, 5u}) add(v, circle * each + (v + far) % each);
    if (random() % 10 == 0) add(v, (v + each) % (3 * each));
  }
  return std::to_string(3 * each) + " " + std::to_string(count) + " 3\n" + nodes + edges;
}

class graphs : public ::testing::Test {
 protected:
  static outcome trained(const std::string& file, const command_words& more) {
    return hogwild({"train", file, "--model graph_cut --json --quiet --no-cache --epochs 100", more});
  }
  std::string file(const std::string& name, const std::string& text) const { return folder.write(name, text); }
  scratch_folder folder;
};

TEST_F(graphs, are_cut_where_maximal_flows_say) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const flow_problem problem(seed);
    const auto result = result_of(trained(file("flow.max", problem.text()), {"--engine serial"}));
    const double cut = result["test_cut"];
    EXPECT_GE(cut, problem.least()) << seed;
    EXPECT_LE(cut, 1.02 * problem.least()) << seed;
  }
}

// Gathered gradients are one step of many rows, which has to be larger.
TEST_F(graphs, are_cut_alike_by_every_engine) {
  const flow_problem problem(5);
  const std::string path = file("flow.max", problem.text());
  for (const char* const engine :
       {"--engine threads --workers 2 --team std", "--engine threads --workers 2 --team std --reproducible",
        "--engine processes --workers 2", "--engine ring --workers 2 --replicas 2",
        "--engine ring --workers 2 --replicas 2 --transport shared_segment",
        "--engine local_sgd --workers 2 --sync-rows 16",
        "--engine all_reduce --workers 2 --sync-rows 16 --step 3 --decay 0.1 --order permuted"}) {
    const double cut = result_of(trained(path, engine))["test_cut"];
    EXPECT_THAT(cut, AllOf(Ge(problem.least()), Le(1.02 * problem.least()))) << engine;
  }
}

TEST_F(graphs, with_labels_are_cut_between_classes) {
  const std::string path = file("circles.txt", circles(40)), model = (folder / "cut.txt").string();
  const auto result = result_of(trained(path, {"--engine processes --workers 2 --save", model}));
  // 12 of 120 nodes are terminals; about 10 of 360 edges are between circles.
  EXPECT_EQ(result["test_accuracy"], 1.0);

  // A model trained by processes has its terminals exactly in their corners, to the bit.
  const auto measured = result_of({"evaluate", model, path, "--json --no-cache"});
  EXPECT_EQ(measured["cut"], result["test_cut"]);
  EXPECT_EQ(measured["accuracy"], 1.0);
  EXPECT_EQ(measured["unknown_entries"], 0);
  const auto sides = lines_of(hogwild({"predict", model, path, "--no-cache"}).out);
  ASSERT_EQ(sides.size(), 120u);
  for (std::size_t v = 0; v < sides.size(); ++v) EXPECT_EQ(sides[v], std::to_string(v / 40)) << v;
}

TEST_F(graphs, say_of_each_node_where_it_ended) {
  const flow_problem problem(6);
  const std::string path = file("flow.max", problem.text()), model = (folder / "cut.bin").string();
  const double cut = result_of(trained(path, {"--engine serial --save", model}))["test_cut"];
  const auto sides = lines_of(hogwild({"predict", model, path, "--format dimacs --no-cache"}).out);
  ASSERT_EQ(sides.size(), problem.nodes);
  EXPECT_EQ(sides[0], "0");
  EXPECT_EQ(sides[1], "1");
  double counted = 0.0;
  for (const capacity_edge& e : problem.edges) {
    if (sides[e.u] < sides[e.v]) counted += static_cast<double>(e.forth);
    if (sides[e.v] < sides[e.u]) counted += static_cast<double>(e.back);
  }
  EXPECT_EQ(counted, cut);
}

TEST_F(graphs, begin_where_another_cut_ended) {
  const flow_problem problem(9);
  const std::string path = file("flow.max", problem.text()), model = (folder / "cut.bin").string();
  const double cut = result_of(trained(path, {"--engine serial --save", model}))["test_cut"];
  const auto again = result_of({"train", path, "--model graph_cut --engine serial --init", model,
                                "--step 1e-6 --epochs 1 --json --quiet --no-cache"});
  EXPECT_EQ(again["test_cut"], cut);
}

TEST_F(graphs, end_at_a_target_and_say_how_they_were_cut) {
  const flow_problem problem(7);
  const std::string path = file("flow.max", problem.text());
  const auto result = result_of(trained(path, "--engine serial --target test_cut=1e9"));
  EXPECT_EQ(result["status"], "target");
  EXPECT_EQ(result["epochs"], 1);
  const outcome o = hogwild({"train", path, "--model graph_cut --epochs 1 --no-cache"});
  EXPECT_THAT(o.out, HasSubstr("cut         "));
}

// The step falls as the model says, whatever its size; and a relaxed cut rises at first, which is no fault of any step.
TEST_F(graphs, are_cut_by_a_step_that_falls_and_an_objective_that_rises) {
  const std::string path = file("flow.max", flow_problem(10).text());
  const auto by_default = result_of(trained(path, "--engine serial"));
  const auto given = result_of(trained(path, "--engine serial --step 0.3"));
  EXPECT_EQ(given["test_cut"], by_default["test_cut"]);
  EXPECT_EQ(given["objective"], by_default["objective"]);
  const outcome o =
      hogwild({"train", path, "--model graph_cut --no-cache --sharing buffered --workers 2 --team std --epochs 20"});
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.err, Not(HasSubstr("overshot")));
  EXPECT_THAT(o.err, Not(HasSubstr("too large")));
}

}  // namespace
}  // namespace hogwild::test
