// SPDX-License-Identifier: Apache-2.0
#include "saved_machines.hpp"

#include <algorithm>
#include <hogwild/core/error.hpp>

#include "shared_net.hpp"

namespace hogwild::detail {
namespace {

/// How many of a column's factors are not padding.
std::size_t factors_of(const factorization_machine& m) {
  return m.rank;
}
std::size_t factors_of(const ffm& m) {
  return m.width();
}

template <class Machine>
saved_model to_saved(const Machine& m, std::span<const float> parameters, std::span<const std::uint32_t> ranks) {
  if (parameters.size() != m.dim() || ranks.size() != m.features)
    throw config_error("these parameters are not those of this factorization machine");
  saved_model saved;
  saved.model_options.emplace_back("rank", static_cast<double>(m.rank));
  if (m.labels == label_kind::real) {
    saved.model_options.emplace_back("mean", static_cast<double>(m.mean));
    saved.model_options.emplace_back("scale", static_cast<double>(m.scale));
  }
  saved.width = 1 + factors_of(m);
  const auto weights = parameters.subspan(m.features * m.width());
  for (const std::uint32_t rank : ranks) {
    saved.weights.push_back(weights[rank]);
    const auto factors = parameters.subspan(rank * m.width(), factors_of(m));
    saved.weights.insert(saved.weights.end(), factors.begin(), factors.end());
  }
  saved.bias = {parameters.back()};
  return saved;
}

template <class Machine>
std::vector<float> parameters_of(const Machine& m, const saved_model& saved) {
  if (saved.labels.kind() != m.labels || saved.width != 1 + factors_of(m) || saved.bias.size() != 1 ||
      saved.weights.size() != saved.columns.size() * saved.width)
    throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
  std::vector<float> parameters(m.dim());
  for (std::size_t k = 0; k < saved.columns.size(); ++k) {
    const std::span<const float> row = saved.row(k);
    parameters[m.features * m.width() + k] = row.front();
    std::ranges::copy(row.subspan(1), parameters.begin() + static_cast<std::ptrdiff_t>(k * m.width()));
  }
  parameters.back() = saved.bias.front();
  return parameters;
}

}  // namespace

saved_model machine_to_saved(const factorization_machine& m, std::span<const float> parameters,
                             std::span<const std::uint32_t> ranks) {
  return to_saved(m, parameters, ranks);
}

saved_model machine_to_saved(const ffm& m, std::span<const float> parameters, std::span<const std::uint32_t> ranks) {
  saved_model saved = to_saved(m, parameters, ranks);
  saved.model_options.emplace_back("fields", static_cast<double>(m.fields));
  saved.model_options.emplace_back("unit_rows", m.unit_rows ? 1.0 : 0.0);
  return saved;
}

void choose_machine(const saved_model& saved, model_choice& choice) {
  // What is out of range does not suit the parameters either, and is found then.
  choice.labels = saved.labels.kind() == label_kind::real ? label_kind::real : label_kind::binary;
  choice.fields = 1;
  for (const auto& [name, value] : saved.model_options) {
    if (name == "rank" && value >= 1.0 && value <= 65536.0) choice.rank = static_cast<std::size_t>(value);
    if (name == "mean") choice.mean = value;
    if (name == "fields" && value >= 1.0 && value <= 1023.0) choice.fields = static_cast<std::size_t>(value);
    if (name == "scale") choice.scale_of_labels = value;
    if (name == "unit_rows") choice.unit_rows = value != 0.0;
  }
}

std::vector<float> machine_from_saved(const factorization_machine& m, const saved_model& saved) {
  return parameters_of(m, saved);
}
std::vector<float> machine_from_saved(const ffm& m, const saved_model& saved) {
  return parameters_of(m, saved);
}

std::shared_ptr<saved_net> read_machine(const ffm& m, const saved_model& saved, const std::vector<float>& parameters) {
  return std::make_shared<shared_net<ffm>>(m, saved.columns, parameters);
}

}  // namespace hogwild::detail
