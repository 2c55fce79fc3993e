// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/label_column.hpp>

namespace hogwild {

// Graphs to be cut into sides, each of which has nodes that belong to it from the start: its terminals.
//
// DIMACS max-flow text has two sides, of the source and of the sink: comments "c ...", once "p max NODES ARCS", once
// "n NODE s" and "n NODE t", then ARCS lines "a FROM TO CAPACITY"; nodes count from 1.
//
// A labelled graph begins with "NODES EDGES CLASSES", then come NODES lines "v NODE CLASS" (-1: none is known) and
// EDGES lines "e NODE NODE", all counted from 0; '#' begins a comment. Its edges have capacity 1 both ways. Each class
// is a side; a fraction of its nodes, at least one, are terminals.
//
// As rows of data: an edge is two entries, its ends u and v, whose values are the capacities from u to v and from v to
// u; its label is no_side. A node whose side is known but which is no terminal is one entry of value 1, labelled with
// its side (sides count from 0): nothing to train on, but to measure by. Capacities are kept in single precision. Edges
// between the same ends are one, with the sum of their capacities; those within a side's terminals are left out. Of a
// side whose terminals have no other edges, the terminals are one entry labelled no_side, to be known at all.
//
// All terminals of a side are one column. Nodes have the odd numbers of columns in the input, terminals the even ones;
// among the positions all nodes come before all terminals, each by falling number of rows.

inline constexpr std::uint32_t largest_node = 2147483646;
/// Sides count from 0 to below this.
inline constexpr std::uint32_t most_sides = 65536;
/// The label of what is no node to measure by.
inline constexpr double no_side = -1.0;

constexpr std::uint32_t node_column(std::uint32_t node) {
  return 2 * node + 1;
}
constexpr std::uint32_t terminal_column(std::uint32_t side) {
  return 2 * side + 2;
}
constexpr bool is_node_column(std::uint32_t column) {
  return column % 2 == 1;
}
/// Whose column it is, where it is a terminal's.
constexpr std::uint32_t side_of_terminal(std::uint32_t column) {
  return column / 2 - 1;
}

/// How many columns are those of nodes, among columns in the order of their positions.
std::size_t count_nodes(std::span<const std::uint32_t> original);
/// How many sides a graph has, by its columns and the labels of its rows: at least two.
std::size_t count_sides(std::span<const std::uint32_t> original, const label_column& labels);

enum class graph_format : std::uint32_t { automatic, dimacs, labelled };

/// How a graph is read.
struct graph_options {
  static constexpr double usual_terminals = 0.1;  ///< fraction of the nodes that are terminals where labels are given
  static constexpr std::uint64_t usual_seed = 1;  ///< of the draw of terminals

  graph_format format = graph_format::automatic;  ///< automatic: told by the first line that is no comment
  /// Of a labelled graph: the fraction of each class's nodes that are terminals, in [0, 1]; empty: usual_terminals.
  std::optional<double> terminals{};
  std::optional<std::uint64_t> seed{};  ///< another one draws other terminals; empty: usual_seed
};

/// Opens a graph, plain or compressed. Throws what open_libsvm throws, and config_error where terminals are asked for
/// in DIMACS text, which names its own.
///
/// Read through a numbering, a labelled graph's terminals are the labelled nodes that the numbering does not know: what
/// a model was trained on knows the nodes that it has placed. A node with an edge, or a terminal, that is not known
/// then is an input_error: it is another graph. With labels_optional the rows are all nodes in the order of their
/// numbers, one entry each, none for those without an edge, and no edges.
sparse_dataset open_graph(const std::string& path, const graph_options& graph = {}, const open_options& options = {});

}  // namespace hogwild
