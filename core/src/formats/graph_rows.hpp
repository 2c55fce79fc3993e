// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/graphs.hpp>

#include "data/parsed_text.hpp"

namespace hogwild::detail {

/// A graph as read; nodes have the numbers of the file.
struct graph {
  struct edge {
    std::uint32_t u, v;
    double forth, back;  ///< capacities from u to v and from v to u
  };
  struct labelled_node {
    std::uint32_t node, side;
  };

  std::uint32_t first = 0, nodes = 0;  ///< the nodes are first, first + 1, ...
  bool labelled = false;               ///< a labelled graph; otherwise one with a source and a sink
  std::vector<edge> edges{};
  std::vector<labelled_node> sides{};  ///< by ascending node, each node once
};

/// Reads a whole text. Throws format_error with `name` as the file.
graph read_graph(std::string_view text, const std::string& name, graph_format format);

/// For each of graph.sides whether its node is a terminal. Draws, by the seed, this fraction of each side's nodes, at
/// least one.
std::vector<bool> draw_terminals(const graph& g, const graph_options& options);
/// The terminals of a labelled graph that is read through a numbering: the labelled nodes that it does not know.
std::vector<bool> unknown_terminals(const graph& g, const column_numbering& columns);

/// Throws input_error if an edge has an end that the numbering does not know.
void require_known(const graph& g, const std::vector<bool>& terminals, const column_numbering& columns,
                   const std::string& name);

/// Edges, then the nodes whose side is known but that are not terminals, then the terminals that have no edge. Throws
/// input_error if there are no edges.
std::unique_ptr<parsed_text> edge_rows(const graph& g, const std::vector<bool>& terminals, const std::string& name);
/// All nodes, one row each. Refuses a graph with far more nodes than a text of this size can describe.
std::unique_ptr<parsed_text> node_rows(const graph& g, const std::vector<bool>& terminals, std::size_t text_bytes,
                                       const std::string& name);

}  // namespace hogwild::detail
