// SPDX-License-Identifier: Apache-2.0
#include "saved_machines.hpp"

#include <algorithm>
#include <string>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/libffm.hpp>

#include "saved_options.hpp"
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
  if (saved.width != 1 + factors_of(m) || saved.bias.size() != 1 ||
      saved.weights.size() != saved.columns.size() * saved.width)
    throw input_error("the number of parameters does not suit the model " + saved.model);
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
  if (saved.labels.kind() == label_kind::classes)
    throw input_error("the labels of the saved " + saved.model + " model are classes, not two labels or numbers");
  choice.labels = saved.labels.kind();
  choice.rank = saved_count(saved, "rank", 65536);
  if (choice.labels == label_kind::real) {
    choice.mean = saved_number(saved, "mean");
    choice.scale_of_labels = saved_positive(saved, "scale");
  }
  if (saved.model != ffm::name) return;
  choice.fields = saved_count(saved, "fields", std::size_t{largest_field} + 1);
  choice.unit_rows = saved_flag(saved, "unit_rows");
  for (const std::uint32_t column : saved.columns)
    if (column == 0 || field_of(column) >= choice.fields)
      throw input_error("column " + std::to_string(column) + " of the saved ffm model belongs to none of its " +
                        std::to_string(choice.fields) + " fields");
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
