// SPDX-License-Identifier: Apache-2.0
#include "saved_cuts.hpp"

#include <algorithm>
#include <string>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/graphs.hpp>

#include "saved_options.hpp"
#include "shared_net.hpp"

namespace hogwild::detail {

saved_model cut_to_saved(const graph_cut& m, std::span<const float> parameters, std::span<const std::uint32_t> original,
                         std::span<const std::uint32_t> ranks) {
  if (parameters.size() != m.dim() || original.size() < m.nodes)
    throw config_error("these parameters are not those of this cut");
  saved_model saved;
  saved.model_options = {{"unit", static_cast<double>(m.unit)}};
  saved.width = m.sides;
  saved.weights.resize(ranks.size() * m.sides);
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const std::uint32_t column = original[ranks[k]];
    saved.columns.push_back(column);
    const std::span<float> row = std::span(saved.weights).subspan(k * m.sides, m.sides);
    if (ranks[k] < m.nodes) {
      std::ranges::copy(parameters.subspan(ranks[k] * m.sides, m.sides), row.begin());
    } else {
      if (is_node_column(column) || side_of_terminal(column) >= m.sides)
        throw config_error("these columns are not the nodes and terminals of this cut");
      row[side_of_terminal(column)] = 1.0f;
    }
  }
  return saved;
}

void choose_cut(const saved_model& saved, model_choice& choice) {
  choice.nodes = saved.columns.size();
  choice.unit = saved_positive(saved, "unit");
}

std::shared_ptr<saved_net> read_cut(const graph_cut& m, const saved_model& saved) {
  if (saved.labels.kind() != m.labels || !saved.bias.empty() || saved.weights.size() != m.dim())
    throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
  for (std::size_t k = 0; k < saved.columns.size(); ++k) {
    if (is_node_column(saved.columns[k])) continue;
    const std::span<const float> row = std::span(saved.weights).subspan(k * m.sides, m.sides);
    const std::uint32_t side = side_of_terminal(saved.columns[k]);
    if (side < m.sides && row[side] == 1.0f && std::ranges::count(row, 0.0f) == std::ssize(row) - 1) continue;
    throw input_error("column " + std::to_string(saved.columns[k]) + " of the saved " + saved.model +
                      " model should be a terminal in the corner of one of " + std::to_string(m.sides) +
                      " sides, and is not; this file was not written by training, or was changed since");
  }
  return std::make_shared<shared_net<graph_cut>>(m, saved.columns, saved.weights);
}

}  // namespace hogwild::detail
