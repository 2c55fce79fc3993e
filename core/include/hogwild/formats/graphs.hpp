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

// Graphs to be cut into sides. Each side has nodes that belong to it from the start: its terminals.
//
// DIMACS max-flow text has two sides, that of the source and that of the sink: comments "c ...", once "p max NODES
// ARCS", once "n NODE s" and "n NODE t", then ARCS lines "a FROM TO CAPACITY"; nodes count from 1.
//
// A labelled graph begins with "NODES EDGES CLASSES", followed by NODES lines "v NODE CLASS" (-1: unknown) and EDGES
// lines "e NODE NODE", all counted from 0; '#' begins a comment. Its edges have capacity 1 both ways. Each class is a
// side; a fraction of its nodes, at least one, are terminals.
//
// As a row of data, an edge is two entries, its ends u and v; their values are the capacities from u to v and from v to
// u, and the label is no_side. A node that is not a terminal but whose side is known is one entry of value 1, labelled
// with its side (sides count from 0): it is used to measure, not to train. Capacities are kept in single precision.
// Edges between the same ends are merged into one, with the sum of their capacities; those between terminals of the
// same side are left out. If a side's terminals have no other edges, one entry labelled no_side stands for them, so
// that the side is known.
//
// All terminals of a side are one column. In the input's numbering, nodes have odd column numbers and terminals even
// ones. Among the positions all nodes come before all terminals, each by falling number of rows.

/// The largest number of a node.
inline constexpr std::uint32_t largest_node = 2147483646;
/// Sides count from 0 and are below this.
inline constexpr std::uint32_t most_sides = 65536;
/// The label of a row that is not a node to measure on.
inline constexpr double no_side = -1.0;

/// The input number of a node's column; `node` is at most largest_node.
constexpr std::uint32_t node_column(std::uint32_t node) {
  return 2 * node + 1;
}
/// The input number of the column of all terminals of a side; `side` is below most_sides.
constexpr std::uint32_t terminal_column(std::uint32_t side) {
  return 2 * side + 2;
}
/// Whether a column belongs to a node, and not to terminals.
constexpr bool is_node_column(std::uint32_t column) {
  return column % 2 == 1;
}
/// The side of a terminal's column; nodes have none.
constexpr std::uint32_t side_of_terminal(std::uint32_t column) {
  return column / 2 - 1;
}

/// The number of columns that belong to nodes. `original`: columns in the order of their positions.
std::size_t count_nodes(std::span<const std::uint32_t> original);
/// The number of sides of a graph, from its columns and the labels of its rows: at least two.
std::size_t count_sides(std::span<const std::uint32_t> original, const label_column& labels);

/// The form of a file with a graph.
enum class graph_format : std::uint32_t {
  automatic,  ///< whichever its content is
  dimacs,     ///< DIMACS max-flow text
  labelled    ///< a labelled graph
};

/// How to read a graph.
struct graph_options {
  static constexpr double usual_terminals = 0.1;  ///< default fraction of the nodes that are terminals if labels are
                                                  ///< given
  static constexpr std::uint64_t usual_seed = 1;  ///< default seed of the draw of terminals

  graph_format format = graph_format::automatic;  ///< automatic: recognised by the first line that is not a comment
  /// For a labelled graph: the fraction of each class's nodes that are terminals, in [0, 1]; empty: usual_terminals.
  std::optional<double> terminals{};
  std::optional<std::uint64_t> seed{};  ///< another seed draws other terminals; empty: usual_seed
};

/// Opens a graph, plain or compressed. Throws what open_libsvm throws, and config_error if terminals are asked for in
/// DIMACS text, which names its own.
///
/// Read through a numbering, a labelled graph's terminals are the labelled nodes that the numbering does not know; it
/// knows the nodes that the trained model has placed. Any other unknown node with an edge, and any unknown terminal, is
/// an input_error: it is another graph. With labels_optional the rows are all nodes in the order of their numbers, one
/// entry each (none for a node without an edge), and no edges.
sparse_dataset open_graph(const std::string& path, const graph_options& graph = {}, const open_options& options = {});

}  // namespace hogwild
