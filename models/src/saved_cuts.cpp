// SPDX-License-Identifier: Apache-2.0
#include "saved_cuts.hpp"

#include <vector>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/graphs.hpp>

namespace hogwild::detail {
namespace {

/// Reads parameters that nobody writes any more.
struct plain_reader {
  std::span<const float> w;
  std::span<const float> block(std::size_t offset, std::size_t n) const { return w.subspan(offset, n); }
};

class saved_cut final : public saved_net {
 public:
  saved_cut(const graph_cut& m, const std::vector<float>& weights) : model_(m), weights_(weights) {}

  row_verdict verdict(const sparse_row<float>& z) override {
    row_verdict said;
    const auto judge_one = judge(1);
    judge_one(0, &z, 0, {});
    judge_one(0, nullptr, 0, {&said, 1});
    return said;
  }
  predictor::batch_judge judge(std::size_t most) override {
    sparse_view known;
    known.columns = model_.nodes;
    return [this, space = model_.make_workspace(known, isa::scalar, most)](
               std::size_t k, const sparse_row<float>* z, std::size_t number, std::span<row_verdict> verdicts) mutable {
      if (z != nullptr)
        model_.take(space, k, *z, counter_random(0, number));
      else
        model_.judge(plain_reader{weights_}, space, verdicts.size(), verdicts);
    };
  }
  void require_data(const sparse_view&, std::string_view) const override {}

 private:
  graph_cut model_;
  std::vector<float> weights_;
};

}  // namespace

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
  for (const auto& [name, value] : saved.model_options)
    if (name == "unit") choice.unit = value;
}

std::shared_ptr<saved_net> read_cut(const graph_cut& m, const saved_model& saved) {
  if (saved.labels.kind() != m.labels || !saved.bias.empty() || saved.weights.size() != m.dim())
    throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
  return std::make_shared<saved_cut>(m, saved.weights);
}

}  // namespace hogwild::detail
