// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/model/example.hpp>
#include <hogwild/detail/models/net.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// A multi-layer perceptron on sparse rows: a dense layer, relu and dropout for each hidden width that is not 0, then a
/// dense layer with a score for each class. Loss: -log softmax(scores)[class].
struct mlp {
  using scalar_type = float;
  using workspace = net_workspace;
  static constexpr std::string_view name = "mlp";
  using library_model = mlp;
  static constexpr label_kind labels = label_kind::classes;
  static constexpr training_defaults defaults = {
      .step = 0.01, .schedule = schedule_kind::constant, .optimizer = optimizer_kind::momentum, .batch = 64};
  static constexpr std::size_t measured_rows = 10'000;
  static constexpr sharing_kind sharing = sharing_kind::direct;
  static constexpr std::size_t most_hidden = 4;

  std::uint32_t features = 0;
  std::uint32_t classes = 2;
  std::array<std::uint32_t, most_hidden> hidden = {128};
  float dropout = 0.0f;  ///< rate behind each hidden layer
  float scale = 1.0f;    ///< multiplies the values of the data; 1/255 for bytes

  constexpr net_plan net() const {
    net_plan layers({features, 1, 1}, {});
    for (const std::uint32_t width : hidden) {
      if (width == 0) continue;
      layers.add(dense(width));
      layers.add(relu());
      if (dropout > 0.0f) layers.add(hogwild::dropout(dropout));
    }
    layers.add(dense(classes));
    return layers;
  }

  std::size_t dim() const { return net().parameters(); }
  std::array<double, 2> hyperparameters() const { return {static_cast<double>(dropout), static_cast<double>(scale)}; }
  std::vector<parameter_group> groups() const { return groups_of(net(), true); }
  void init(const param_view<float>& w, const counter_random& random) const { initialise_net(net(), w, random); }

  /// Throws config_error where this build has no nets.
  void require_data(const sparse_view&, std::string_view) const {
    if (!has_layer_kernels()) throw config_error("the model mlp " + layer_kernels_missing());
  }

  workspace make_workspace(const sparse_view&, isa set, std::size_t batch) const { return {net(), set, batch}; }

  void take(workspace& space, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    space.describe(k, random.bits(0), z.label);
    space.fill(k, 0, features, 0.0f);
    float* const to = space.input(k);
    for (auto [j, x] : z) to[j * space.stride()] = x * scale;
  }

  void gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    space.read(w, groups());
    space.differentiate(n);
    space.emit(emit, groups());
  }

  void score(const auto& w, workspace& space, std::size_t n, std::span<row_score> scores) const {
    space.read(w, groups());
    space.score(n, scores);
  }
};

}  // namespace hogwild
