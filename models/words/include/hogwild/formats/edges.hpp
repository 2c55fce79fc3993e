// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <hogwild/formats/corpus.hpp>

namespace hogwild {

// Edges of a graph whose nodes have names: one a line, "u v" or "u v weight". Fields are separated by blanks, tabs,
// commas or semicolons, in any number; '#' or '%' begins a line of comment. All lines have two fields, or all have
// three. Names are taken byte for byte: "1" and "01" differ. A weight is a finite number above 0, and 1 if absent. A
// first line such as "source target weight" or "from to" is a header.
//
// Repeated edges are one; if they have weights, with the sum of them. In an undirected graph "v u" repeats "u v".

/// How edges are read.
struct edge_options {
  bool directed = false;  ///< an edge leads from its first node to the second only
  /// Receives notes on the text; empty: note_by_default().
  std::function<void(std::string_view sentence)> note{};
};

/// A graph as rows: one for each node, in an order that is random and always the same. A row's entries are the node
/// itself, with the weight of its edge to itself as the value (0: there is none), and then the nodes to which an edge
/// leads, ascending, with its weight. Words are the names of nodes, by falling number of the rows that have them. Plain
/// or compressed, or standard input ("-"). Throws format_error (file:line:column) for a line that is no edge, and
/// input_error if the file cannot be read or has no edge.
corpus open_edges(const std::string& path, const edge_options& options = {});

/// The same for plain bytes in memory; `name` is used in messages.
corpus read_edges(std::string_view text, const std::string& name, const edge_options& options = {});

}  // namespace hogwild
