// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/edges.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace {

using namespace hogwild;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// For each node the nodes to which its edges lead, with their weights.
using adjacency = std::map<std::string, std::map<std::string, float>>;

adjacency nodes_of(const corpus& c) {
  adjacency all;
  const sparse_view rows = c.rows.view();
  EXPECT_EQ(rows.rows(), rows.columns);
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> z = cursor.row(r);
    auto& after = all[std::string(c.words.word(z.index[0]))];
    EXPECT_TRUE(after.empty()) << "a node has one row";
    for (std::size_t k = 0; k < z.size(); ++k) {
      if (k > 1) {
        EXPECT_LT(z.index[k - 1], z.index[k]);
      }
      if (z.value[k] > 0.0f) after.emplace(c.words.word(z.index[k]), z.value[k]);
    }
  }
  return all;
}

struct edges : testing::Test {
  std::vector<std::string> notes;
  corpus read(std::string_view text, bool directed = false) {
    return read_edges(text, "text", {.directed = directed, .note = [&](auto said) { notes.emplace_back(said); }});
  }
};

TEST_F(edges, lead_both_ways_unless_they_are_directed) {
  const std::string text = "a b\nb c\nb b\n";
  EXPECT_EQ(nodes_of(read(text)),
            (adjacency{{"a", {{"b", 1}}}, {"b", {{"a", 1}, {"b", 1}, {"c", 1}}}, {"c", {{"b", 1}}}}));
  EXPECT_EQ(nodes_of(read(text, true)), (adjacency{{"a", {{"b", 1}}}, {"b", {{"b", 1}, {"c", 1}}}, {"c", {}}}));
  EXPECT_THAT(notes, ElementsAre());
}

TEST_F(edges, have_the_same_nodes_whatever_parts_their_fields) {
  const adjacency expected{{"01", {{"1", 2.5f}}}, {"1", {{"01", 2.5f}}}};
  for (const char* const text :
       {"1 01 2.5", "1\t01\t2.5\r\n", "1,01,2.5\n", " 1; 01 ;2.5\n", "# 1 2\n\n% 3\n1 01 2.5\n",
        "\xef\xbb\xbf"
        "1 01 2.5\n"})
    EXPECT_EQ(nodes_of(read(text)), expected) << text;
}

TEST_F(edges, that_repeat_others_are_one_with_the_sum_of_their_weights) {
  EXPECT_EQ(nodes_of(read("a b\nb a\na b\nb c\n")).at("b"), (std::map<std::string, float>{{"a", 1}, {"c", 1}}));
  EXPECT_EQ(nodes_of(read("a b 1\nb a 2\nb c 4\n")).at("b"), (std::map<std::string, float>{{"a", 3}, {"c", 4}}));
  EXPECT_EQ(nodes_of(read("a b 1\nb a 2\n", true)).at("b"), (std::map<std::string, float>{{"a", 2}}));
  EXPECT_THAT(notes, ElementsAre("text: 2 of 4 edges repeat others, and do not count",
                                 "text: 1 of 3 edges repeat others: their weights are added"));
}

TEST_F(edges, may_stand_below_a_header) {
  EXPECT_EQ(nodes_of(read("Source,Target,Weight\na,b,2\n")), (adjacency{{"a", {{"b", 2}}}, {"b", {{"a", 2}}}}));
  EXPECT_EQ(nodes_of(read("from to\na b\n")), (adjacency{{"a", {{"b", 1}}}, {"b", {{"a", 1}}}}));
  EXPECT_EQ(nodes_of(read("id_1,id_2\na,b\n")).size(), 2u);
  EXPECT_EQ(nodes_of(read("# x\nthis that much\na b 2\n")).size(), 2u);
  EXPECT_THAT(notes, ElementsAre("text: line 1 is a header, and no edge", "text: line 1 is a header, and no edge",
                                 "text: line 1 is a header, and no edge", "text: line 2 is a header, and no edge"));
  // A name or a weight of its own makes it an edge, and there is one header.
  notes.clear();
  for (const char* const edge : {"from to 2\n", "u v\n", "x y\nfrom to\n", "from to\nfrom to\n"})
    EXPECT_TRUE(nodes_of(read(edge)).contains(edge[0] == 'u' ? "v" : "to")) << edge;
  EXPECT_THAT(notes, ElementsAre("text: line 1 is a header, and no edge"));
}

TEST_F(edges, may_have_names_that_look_like_something_else) {
  for (const char* const text : {"<a> <b>\n<c> <d>\n", "{a b\n", "user1 2:5\n", "p max\n", "|2 a\n"})
    EXPECT_EQ(nodes_of(read(text)).size(), std::string_view(text).find("<c>") == std::string_view::npos ? 2u : 4u)
        << text;
}

TEST_F(edges, number_their_nodes_by_falling_number_of_rows) {
  const corpus c = read("x y\nx z\nx b\nz b\n");
  std::vector<std::pair<std::string, std::uint64_t>> counted;
  for (std::size_t n = 0; n < c.words.size(); ++n) counted.emplace_back(c.words.word(n), c.words.count(n));
  EXPECT_THAT(counted, ElementsAre(Pair("x", 4), Pair("b", 3), Pair("z", 3), Pair("y", 2)));
  const sparse_view rows = c.rows.view();
  EXPECT_THAT(std::vector<std::uint32_t>(rows.degree.begin(), rows.degree.end()), ElementsAre(4, 3, 3, 2));
}

TEST_F(edges, are_refused_where_they_are_wrong) {
  const std::pair<std::string, const char*> cases[] = {
      {"a b\nc\n", "text:2:2: an edge has two nodes"},
      {"a b c d\n", "text:1:7: an edge has two nodes"},
      {"a b 1\nc d\n", "text:2:4: the line has no weight, but line 1 has one"},
      {"# x\na b\nc d 1\n", "text:3:5: the line has a weight, but line 2 has none"},
      {"a b 0\n", "text:1:5: the weight of an edge is a number above 0, finite in single precision, not '0'"},
      {"a b 1e-46\n", "text:1:5: the weight of an edge is a number above 0, finite in single precision"},
      {"1 2:5\n", "this is LIBSVM text"},
      {"a b -1\n", "text:1:5: the weight"},
      {"a b 1\na b c\n", "text:2:5: the weight"},
      {"a b c\n", "text: the graph has no edge"},
      {"a b 1e50\n", "text:1:5: the weight"},
      {"a b nan\n", "text:1:5: the weight"},
      {"a b 3e38\na b 3e38\n", "text: the weights of a repeated edge have no finite sum"},
      {"a \x01\n", "text:1:3: there is a control character"},
      {std::string(1001, 'a') + " b\n", "text:1:1: a name of more than 1000 bytes"},
      {"# nothing\n", "text: the graph has no edge"},
      {"", "text: the graph has no edge"},
      {"1 1:0.5 2:1\n-1 3:1\n", "LIBSVM text"},
  };
  for (const auto& [text, said] : cases) {
    try {
      read(text);
      ADD_FAILURE() << text;
    } catch (const input_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(said)) << text;
    }
  }
}

TEST_F(edges, are_read_from_a_file) {
  const test::scratch_folder folder;
  EXPECT_EQ(nodes_of(open_edges(folder.write("graph", "a b\n"))), nodes_of(read("a b\n")));
  EXPECT_THROW(open_edges((folder.path() / "none").string()), input_error);
}

}  // namespace
