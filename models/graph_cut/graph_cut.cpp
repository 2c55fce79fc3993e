// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/graph_cut.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/graphs.hpp>

#include "loaded_models.hpp"

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
    if (z.size() != 2) continue;  // not an edge
    float larger = 0.0f;
    for (const auto [column, capacity] : z) larger = std::max(larger, capacity);
    sum += static_cast<double>(larger);
    ++edges;
  }
  graph_cut cut{.nodes = count_nodes(graph.original), .sides = count_sides(graph.original, graph.label)};
  if (sum > 0.0) cut.unit = static_cast<float>(sum / static_cast<double>(edges));
  return cut;
}

namespace {

// Saved models hold the point of each node, and the corner of each terminal, by column.
class graph_cut_descriptor final : public descriptor_for<graph_cut> {
 public:
  graph_cut_descriptor()
      : descriptor_for({.summary = "a side for each node of a graph, by the least multiway cut",
                        .input = model_input::graph,
                        .uses = {"terminals", "terminals-seed"}}) {}

  named_model make(const model_data& data, const model_options&) const override {
    return data.features() == 0 ? graph_cut{} : graph_cut_of(data.rows);
  }

  /// The loaded model treats all columns as nodes.
  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    const double unit = detail::saved_positive(saved, "unit");
    if (saved.width < 2 || saved.width > most_sides)
      throw config_error("a cut has 2 to " + std::to_string(most_sides) + " sides");
    const graph_cut m{.nodes = saved.columns.size(), .sides = saved.width, .unit = static_cast<float>(unit)};
    if (saved.labels.kind() != m.labels || !saved.bias.empty() || saved.weights.size() != m.dim())
      throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
    for (std::size_t k = 0; k < saved.columns.size(); ++k) {
      if (is_node_column(saved.columns[k])) continue;
      const std::span<const float> row = saved.row(k);
      const std::uint32_t side = side_of_terminal(saved.columns[k]);
      if (side < m.sides && row[side] == 1.0f && std::ranges::count(row, 0.0f) == std::ssize(row) - 1) continue;
      throw input_error("column " + std::to_string(saved.columns[k]) + " of the saved " + saved.model +
                        " model should be a terminal in the corner of one of " + std::to_string(m.sides) +
                        " sides, and is not; this file was not written by training, or was changed since");
    }
    return std::make_shared<detail::loaded_workspace_model<graph_cut>>(m, saved.weights, saved.columns);
  }

 private:
  saved_model save_model(const graph_cut& m, const trained_parameters& trained) const override {
    if (trained.values.size() != m.dim() || trained.original.size() < m.nodes)
      throw config_error("these parameters are not those of this cut");
    saved_model saved;
    saved.model_options = {{"unit", static_cast<double>(m.unit)}};
    saved.width = m.sides;
    saved.weights.resize(trained.saved_order.size() * m.sides);
    for (std::size_t k = 0; k < trained.saved_order.size(); ++k) {
      const std::uint32_t from = trained.saved_order[k], column = trained.original[from];
      const std::span<float> row = std::span(saved.weights).subspan(k * m.sides, m.sides);
      if (from < m.nodes) {
        std::ranges::copy(trained.values.subspan(from * m.sides, m.sides), row.begin());
      } else {
        if (is_node_column(column) || side_of_terminal(column) >= m.sides)
          throw config_error("these columns are not the nodes and terminals of this cut");
        row[side_of_terminal(column)] = 1.0f;
      }
    }
    return saved;
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<graph_cut>() {
  static const graph_cut_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
