// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/model/example.hpp>
#include <hogwild/detail/models/net.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/detail/models/sparse_layer.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// One worker's memory for an mlp; nobody else may use it meanwhile.
struct mlp_workspace {
  net_workspace net;                    ///< of all layers, or of those behind a sparse first one
  std::optional<sparse_layer> first;    ///< where it is sparse
  std::vector<float> values{}, bias{};  ///< of the first layer

  void stop_when(std::function<bool()> asked) { net.stop_when(std::move(asked)); }
};

/// A multi-layer perceptron on sparse rows: a dense layer, relu and dropout for each hidden width that is not 0, then a
/// dense layer with a score for each class. Loss: -log softmax(scores)[class].
///
/// Where the first layer is sparse, it reads and changes the weights of those columns alone that a batch has. Partials
/// of others are 0, so that sgd, adagrad and row_adagrad do what they do in the dense form. What momentum and adam
/// would do meanwhile is settled when a column is next read (block_optimizer::settle). l2 is by degree: over an epoch
/// it sums up to that of the dense form.
struct mlp {
  using scalar_type = float;
  using workspace = mlp_workspace;
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
  bool sparse = false;   ///< the first layer, which then has to be hidden

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
  std::array<double, 3> hyperparameters() const {
    return {static_cast<double>(dropout), static_cast<double>(scale), has_sparse_layer() ? 1.0 : 0.0};
  }
  /// The form of the first layer, for records.
  std::string_view first_layer() const { return has_sparse_layer() ? "sparse" : "dense"; }
  std::vector<parameter_group> groups() const { return groups_of(net(), true); }
  void init(const param_view<float>& w, const counter_random& random) const { initialise_net(net(), w, random); }

  /// Throws config_error where this build has no nets.
  void require_data(const sparse_view&, std::string_view) const {
    if (!has_layer_kernels()) throw config_error("the model mlp " + layer_kernels_missing());
  }

  workspace make_workspace(const sparse_view&, isa set, std::size_t batch) const {
    if (!has_sparse_layer()) return {.net = {net(), set, batch}, .first = {}};
    return {.net = {behind_first(), set, batch, true},
            .first = sparse_layer(features, hidden[0], std::max<std::size_t>(batch, 1)),
            .values = std::vector<float>(hidden[0]),
            .bias = std::vector<float>(hidden[0])};
  }

  void take(workspace& space, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    net_workspace& layers = space.net;
    layers.describe(k, random.bits(0), z.label);
    if (space.first) return space.first->take(k, z, scale);
    layers.fill(k, 0, features, 0.0f);
    float* const to = layers.input(k);
    for (auto [j, x] : z) to[j * layers.stride()] = x * scale;
  }

  /// What a batch leaves out where its rows have not the column: a sparse first layer's weights (lazy_model).
  parameter_group lazy_group() const {
    return {.name = "fc1.weights", .rows = has_sparse_layer() ? features : 0, .width = std::max(hidden[0], 1u)};
  }
  std::span<const std::uint32_t> columns_of(workspace& space, std::size_t n) const {
    if (!space.first) return {};
    space.first->gather(n);
    return space.first->columns();
  }

  void gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    if (space.first) return sparse_gradient(w, space, n, emit);
    space.net.read(w, groups());
    space.net.differentiate(n);
    space.net.emit(emit, groups());
  }

  void score(const auto& w, workspace& space, std::size_t n, std::span<row_score> scores) const {
    if (space.first)
      feed(w, space, n);
    else
      space.net.read(w, groups());
    space.net.score(n, scores);
  }

 private:
  bool has_sparse_layer() const { return sparse && hidden[0] != 0; }

  /// Parameters of the first layer.
  std::size_t first_parameters() const { return (std::size_t{features} + 1) * hidden[0]; }
  std::vector<parameter_group> groups_behind() const {
    auto all = groups();
    all.erase(all.begin(), all.begin() + 2);
    return all;
  }
  constexpr net_plan behind_first() const {
    const net_plan all = net();
    net_plan rest({hidden[0], 1, 1}, {});
    for (std::size_t i = 1; i < all.size(); ++i) rest.add(all[i].layer);
    return rest;
  }

  /// Reads what examples 0 .. n-1 need, and gives the layers behind what the first one makes of them.
  void feed(const auto& w, workspace& space, std::size_t n) const {
    sparse_layer& first = *space.first;
    const std::size_t width = hidden[0];
    first.gather(n);
    for (std::size_t s = 0; s < first.columns().size(); ++s)
      w.block(first.columns()[s] * width, width).copy_to(first.weights(s));
    w.block(std::size_t{features} * width, width).copy_to(std::span(space.bias));
    space.net.read(w, groups_behind(), first_parameters());
    for (std::size_t k = 0; k < n; ++k) {
      space.values = space.bias;
      first.forward(k, space.values);
      float* const to = space.net.input(k);
      for (std::size_t v = 0; v < width; ++v) to[v * space.net.stride()] = space.values[v];
    }
  }

  void sparse_gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    sparse_layer& first = *space.first;
    const std::size_t width = hidden[0];
    feed(w, space, n);
    space.net.differentiate(n);
    if (space.net.stopped()) return;
    std::ranges::fill(space.bias, 0.0f);
    for (std::size_t k = 0; k < n; ++k) {
      const float* const from = space.net.input_partials(k);
      for (std::size_t v = 0; v < width; ++v) {
        space.values[v] = from[v * space.net.stride()];
        space.bias[v] += space.values[v];
      }
      first.backward(k, space.values);
    }
    for (std::size_t s = 0; s < first.columns().size(); ++s) {
      const std::size_t column = first.columns()[s];
      if constexpr (requires { emit.sparse_block(column, 0, first.partials(s), 1.0f); })
        emit.sparse_block(column, column * width, first.partials(s),
                          static_cast<float>(first.count(s)) / static_cast<float>(n));
      else
        emit.block(column * width, first.partials(s));
    }
    emit.block(std::size_t{features} * width, std::span<const float>(space.bias));
    space.net.emit(emit, groups_behind(), first_parameters());
  }
};

}  // namespace hogwild
