// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/graphs.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "formats/graph_rows.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

constexpr const char* max_flow =
    "c a path with a way back\np max 4 5\n\nn 1 s\nn 4 t\na 1 2 3\na 2 3 1.5\r\na 3 2 4\na 3 4 2\na 2 3 0.5\n";
constexpr const char* classes =
    "# two triangles\n6 7 2\nv 0 0\nv 1 0\nv 2 -1\nv 3 1\nv 4 1\nv 5 1\ne 0 1\ne 1 2\ne 0 2\n"
    "e 3 4\ne 4 5\ne 5 3\ne 2 3 # the bridge\n";

using row = std::tuple<std::vector<std::uint32_t>, std::vector<float>, double>;

class graphs : public testing::Test {
 protected:
  std::string file(const std::string& text) const { return folder.write("graph.txt", text); }
  /// Rows by input numbers of their columns, sorted.
  static std::vector<row> rows_of(const sparse_dataset& data) {
    std::vector<row> rows;
    const sparse_view view = data.view();
    view.ensure(0, view.rows());
    row_cursor cursor(view);
    for (std::size_t r = 0; r < view.rows(); ++r) {
      row made{{}, {}, view.label[r]};
      for (const auto [column, value] : cursor.row(r)) {
        std::get<0>(made).push_back(data.original(column));
        std::get<1>(made).push_back(value);
      }
      rows.push_back(made);
    }
    std::ranges::sort(rows);
    return rows;
  }
  static open_options uncached() { return {.cache = open_options::cache_use::none}; }

  test::scratch_folder folder;
};

TEST_F(graphs, of_max_flow_are_edges_with_a_capacity_each_way) {
  const sparse_dataset data = open_graph(file(max_flow), {}, uncached());
  const std::uint32_t s = terminal_column(0), t = terminal_column(1), two = node_column(2), three = node_column(3);
  const std::vector<row> expected{
      {{s, two}, {3.0f, 0.0f}, no_side}, {{t, three}, {0.0f, 2.0f}, no_side}, {{two, three}, {2.0f, 4.0f}, no_side}};
  EXPECT_EQ(rows_of(data), expected);
  // Node columns first, by how many edges have them.
  EXPECT_EQ(count_nodes(data.view().original), 2u);
  EXPECT_EQ(count_sides(data.view().original, data.view().label), 2u);
}

TEST_F(graphs, with_labels_have_all_or_some_of_them_as_terminals) {
  const sparse_dataset all = open_graph(file(classes), {.terminals = 1.0}, uncached());
  const std::uint32_t first = terminal_column(0), second = terminal_column(1), middle = node_column(2);
  EXPECT_EQ(rows_of(all),
            (std::vector<row>{{{first, middle}, {2.0f, 2.0f}, no_side}, {{second, middle}, {1.0f, 1.0f}, no_side}}));
  const sparse_dataset some = open_graph(file(classes), {.terminals = 0.0}, uncached());
  std::map<double, std::size_t> labels;
  for (const double label : some.view().label) ++labels[label];
  EXPECT_EQ(labels, (std::map<double, std::size_t>{{no_side, 7}, {0.0, 1}, {1.0, 2}}));
  EXPECT_EQ(count_nodes(some.view().original), 4u);
  EXPECT_EQ(some.features(), 6u);
}

TEST_F(graphs, draw_other_terminals_by_another_seed_and_the_same_by_the_same) {
  std::string text = "200 1 2\ne 0 1\n";
  for (int v = 0; v < 200; ++v) text += "v " + std::to_string(v) + " " + std::to_string(v % 2) + "\n";
  const detail::graph g = detail::read_graph(text, "text", graph_format::automatic);
  const auto drawn = detail::draw_terminals(g, {.terminals = 0.1, .seed = 1});
  EXPECT_EQ(std::ranges::count(drawn, true), 20);
  EXPECT_EQ(drawn, detail::draw_terminals(g, {.terminals = 0.1, .seed = 1}));
  EXPECT_NE(drawn, detail::draw_terminals(g, {.terminals = 0.1, .seed = 2}));  // alike once in 10^26
  EXPECT_THROW(detail::draw_terminals(g, {.terminals = 1.5}), config_error);
}

TEST_F(graphs, read_by_a_numbering_have_as_terminals_whom_it_does_not_know) {
  const sparse_dataset some = open_graph(file(classes), {.terminals = 0.0}, uncached());
  open_options again = uncached();
  again.numbering = &some.numbering();
  const sparse_dataset same = open_graph(file(classes), {.terminals = 0.7, .seed = 9}, again);
  EXPECT_EQ(rows_of(same), rows_of(some));
  EXPECT_EQ(same.unknown_entries(), 0u);

  again.labels_optional = true;
  const sparse_dataset nodes = open_graph(file(classes), {}, again);
  EXPECT_EQ(nodes.rows(), 6u);
  for (std::size_t v = 0; v < 6; ++v) {
    const std::uint32_t column = nodes.original(row_cursor(nodes.view()).row(v).index[0]);
    EXPECT_TRUE(column == node_column(static_cast<std::uint32_t>(v)) || column == terminal_column(v < 3 ? 0 : 1)) << v;
  }
}

TEST_F(graphs, that_were_not_cut_are_refused_by_a_numbering) {
  const sparse_dataset cut = open_graph(file(max_flow), {}, uncached());
  open_options through = uncached();
  through.numbering = &cut.numbering();
  for (const bool nodes : {false, true}) {
    through.labels_optional = nodes;
    EXPECT_NO_THROW(open_graph(file(max_flow), {}, through));
    // Node 5 had no edge.
    EXPECT_THROW(open_graph(file("p max 5 2\nn 1 s\nn 4 t\na 1 2 3\na 2 5 1\n"), {}, through), input_error);
    // A third side.
    EXPECT_THROW(open_graph(file("3 2 3\nv 0 2\nv 1 1\nv 2 0\ne 0 1\ne 1 2\n"), {}, through), input_error);
    // Parts that no cut can separate are allowed.
    EXPECT_NO_THROW(open_graph(file("p max 5 3\nn 1 s\nn 4 t\na 1 2 3\na 2 5 0\na 5 5 1\n"), {}, through));
  }
}

// The second class has one node, which has no edge.
TEST_F(graphs, know_terminals_without_edges) {
  const std::string path = file("3 1 2\nv 0 0\nv 1 -1\nv 2 1\ne 0 1\n");
  const sparse_dataset data = open_graph(path, {}, uncached());
  EXPECT_EQ(rows_of(data), (std::vector<row>{{{terminal_column(0), node_column(1)}, {1.0f, 1.0f}, no_side},
                                             {{terminal_column(1)}, {1.0f}, no_side}}));
  open_options nodes = uncached();
  nodes.numbering = &data.numbering();
  nodes.labels_optional = true;
  const sparse_dataset all = open_graph(path, {}, nodes);
  EXPECT_EQ(all.original(row_cursor(all.view()).row(2).index[0]), terminal_column(1));
}

TEST_F(graphs, that_name_their_terminals_take_no_others) {
  EXPECT_THROW(open_graph(file(max_flow), {.terminals = 0.5}, uncached()), config_error);
  EXPECT_THROW(open_graph(file(max_flow), {.seed = 3}, uncached()), config_error);
  const std::string path = file(max_flow);
  EXPECT_FALSE(open_graph(path).from_cache());
  EXPECT_TRUE(open_graph(path).from_cache());
  EXPECT_THROW(open_graph(path, {.terminals = graph_options::usual_terminals}), config_error);
}

TEST_F(graphs, answer_for_as_many_nodes_as_the_text_can_be_about) {
  open_options nodes = uncached();
  nodes.labels_optional = true;
  EXPECT_EQ(open_graph(file("p max 9 1\nn 1 s\nn 9 t\na 1 9 1\n"), {}, nodes).rows(), 9u);
  EXPECT_THROW(open_graph(file("p max 2000000000 1\nn 1 s\nn 9 t\na 1 9 1\n"), {}, nodes), input_error);
}

TEST_F(graphs, come_from_the_cache_until_other_terminals_are_wanted) {
  const std::string path = file(classes);
  EXPECT_FALSE(open_graph(path, {.terminals = 0.0}).from_cache());
  EXPECT_TRUE(open_graph(path, {.terminals = 0.0}).from_cache());
  EXPECT_FALSE(open_graph(path, {.terminals = 1.0}).from_cache());
}

TEST_F(graphs, without_anything_to_cut_are_refused) {
  EXPECT_THROW(open_graph(file("p max 2 0\nn 1 s\nn 2 t\n"), {}, uncached()), input_error);
  // Nodes of one class, and of none.
  EXPECT_THROW(open_graph(file("2 1 2\nv 0 0\nv 1 0\ne 0 1\n"), {}, uncached()), input_error);
  EXPECT_THROW(open_graph(file("2 1 2\nv 0 -1\nv 1 -1\ne 0 1\n"), {}, uncached()), input_error);
}

TEST(graph_text, says_what_is_wrong_and_where) {
  const test::faulty_text faults[] = {
      {"", 1, 1, "there is no line 'p max NODES ARCS'"},
      {"c only\n", 2, 1, "there is no line 'p max NODES ARCS'"},
      {"a 1 2 3\n", 1, 1, "the text begins with 'a'"},
      {"p min 4 5\n", 1, 3, "the problem is 'min'"},
      {"p max x 5\n", 1, 7, "the number of nodes is a whole number, not 'x'"},
      {"p max 4\n", 1, 8, "the line ends where the number of arcs is expected"},
      {"p max 4 99999999999999999999\n", 1, 9, "the number of arcs is '99999999999999999999', but must be from 0"},
      {"p max 2 0 1\n", 1, 11, "there is '1' where the line should end"},
      {"p max 2 0\np max 2 0\n", 2, 1, "the second line 'p'"},
      {"p max 3 1\nn 4 s\n", 2, 3, "the node is '4', but must be from 1 to 3"},
      {"p max 3 1\nn 1 x\n", 2, 5, "not 'x'"},
      {"p max 3 1\nn 1 s\nn 2 s\n", 3, 5, "the second source"},
      {"p max 3 1\nn 1 s\nn 1 t\n", 3, 5, "node 1 is source and sink"},
      {"p max 3 1\nn 1 s\nn 2 t\na 1 0 5\n", 4, 5, "the node is '0'"},
      {"p max 3 1\nn 1 s\nn 2 t\na 1 2\n", 4, 6, "the line ends where the capacity is expected"},
      {"p max 3 1\nn 1 s\nn 2 t\na 1 2 -5\n", 4, 7, "does not lie between 0 and 1e30"},
      {"p max 3 1\nn 1 s\nn 2 t\na 1 2 inf\n", 4, 7, "is not a finite number"},
      {"p max 3 1\nn 1 s\nn 2 t\na 1 2 nan\n", 4, 7, "is not a finite number"},
      {"p max 3 1\nn 1 s\nn 2 t\na 1 2 1\na 1 2 1\n", 5, 1, "more arcs than the 1"},
      {"p max 3 2\nn 1 s\nn 2 t\na 1 2 1\n", 5, 1, "the text ends after 1 arcs, but the line 'p' says 2"},
      {"p max 3 1\nn 1 s\na 1 2 1\n", 4, 1, "there is no line 'n NODE s', or none 'n NODE t'"},
      {"p max 3 1\n\x1b[2J 1\n", 2, 1, "not with '\\x1b[2J'"},
      {"3 1\n", 1, 4, "the number of classes is expected"},
      {"3 1 1\n", 1, 5, "the number of classes is '1', but must be from 2"},
      {"1 0 2\nv 1 0\n", 2, 3, "the node is '1', but must be from 0 to 0"},
      {"1 0 2\nv 0 2\n", 2, 5, "the class is '2', but must be from -1 to 1"},
      {"1 0 2\nv 0 1\nv 0 1\n", 3, 1, "more lines 'v' than the first line says"},
      {"1 0 2\nx 0 1\n", 2, 1, "a line begins with v or e, not with 'x'"},
      {"2 0 2\nv 0 1\nv 0 1\n", 4, 1, "node 0 has two lines 'v'"},
      {"2 1 2\nv 0 1\n", 3, 1, "the text ends after 1 of 2 nodes and 0 of 1 edges"},
  };
  for (const test::faulty_text& bad : faults)
    test::expect_refused(bad, [&] { detail::read_graph(bad.text, "some.txt", graph_format::automatic); });
}

TEST(graph_text, is_what_it_is_said_to_be) {
  EXPECT_THROW(detail::read_graph(max_flow, "text", graph_format::labelled), format_error);
  EXPECT_THROW(detail::read_graph(classes, "text", graph_format::dimacs), format_error);
}

}  // namespace
}  // namespace hogwild
