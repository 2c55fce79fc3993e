// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/model.hpp>

namespace hogwild {

/// A margin model with project(), as the general model that is trained in its place. Parameters lie as in a margin
/// model; the constant term, which is not projected, is last.
template <margin_model M>
struct projected_margin {
  static constexpr std::string_view name = model_name<M>();
  static constexpr bool linear = true, takes_offsets = true;
  static constexpr training_defaults defaults = defaults_of<M>();
  using scalar_type = float;
  using example_type = sparse_row<float>;

  M model{};
  std::size_t columns = 0;
  bool bias = false;
  label_kind labels = labels_of(model);

  std::size_t dim() const { return columns + (bias ? 1 : 0); }
  std::vector<parameter_group> groups() const {
    return {{.name = "weights", .rows = columns},
            {.name = "bias",
             .offset = columns,
             .rows = bias ? std::size_t{1} : 0,
             .hot_first = false,
             .l2 = false,
             .projected = false}};
  }
  std::vector<double> hyperparameters() const {
    std::vector<double> all;
    if constexpr (requires { model.hyperparameters(); })
      for (const double number : model.hyperparameters()) all.push_back(number);
    for (const model_number& number : numbers_of<M>()) all.push_back(number.get(&model));
    return all;
  }
  void require_data(const sparse_view& rows, std::string_view source) const {
    if constexpr (requires { model.require_data(rows, source); }) model.require_data(rows, source);
  }

  float margin(const auto& w, const example_type& z) const { return dot(w, z) + (bias ? w[columns] : 0.0f) + z.offset; }
  float predict(const auto& w, const example_type& z) const { return prediction_of(model, margin(w, z)); }
  double loss(const auto& w, const example_type& z) const {
    return static_cast<double>(model.loss(margin(w, z), z.label));
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float slope = model.derivative(margin(w, z), z.label);
    if (slope == 0.0f) return;
    for (auto [j, x] : z)
      if (x != 0.0f) emit(j, slope * x);
    if (bias) emit(columns, slope);
  }
  void project(std::span<float> run, float step) const { model.project(run, step); }
};

}  // namespace hogwild
