// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/graph_cut.hpp>

#include <string>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/graphs.hpp>
#include <hogwild/core/row_cursor.hpp>

namespace hogwild {

void graph_cut::require_data(const sparse_view& rows, std::string_view source) const {
  for (std::size_t column = nodes; column < rows.columns; ++column) {
    const bool terminal = column < rows.original.size() && !is_node_column(rows.original[column]);
    if (!terminal || side_of_terminal(rows.original[column]) >= sides)
      throw config_error(std::string(source) +
                         ": its columns are not the nodes and terminals that the cut was made for; open it as a graph, "
                         "of one file");
  }
}

std::vector<std::uint32_t> graph_cut::terminals_of(const sparse_view& data) const {
  std::vector<std::uint32_t> terminals;
  for (std::size_t column = nodes; column < data.columns; ++column)
    terminals.push_back(side_of_terminal(data.original[column]));
  return terminals;
}

graph_cut graph_cut_of(const sparse_view& graph) {
  double sum = 0.0;
  std::size_t edges = 0;
  graph.ensure(0, graph.rows());
  row_cursor cursor(graph);
  for (std::size_t r = 0; r < graph.rows(); ++r) {
    const sparse_row<float> z = cursor.row(r);
    if (z.size() != 2) continue;  // no edge
    float larger = 0.0f;
    for (const auto [column, capacity] : z) larger = std::max(larger, capacity);
    sum += static_cast<double>(larger);
    ++edges;
  }
  graph_cut cut{.nodes = count_nodes(graph.original), .sides = count_sides(graph.original, graph.label)};
  if (sum > 0.0) cut.unit = static_cast<float>(sum / static_cast<double>(edges));
  return cut;
}

}  // namespace hogwild
