// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/models/deepfm_workspace.hpp>
#include <hogwild/detail/models/factor_rows.hpp>
#include <hogwild/detail/models/net.hpp>
#include <hogwild/detail/models/score_loss.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// A factorization machine and a net on the same factors v_j of columns, on rows of libffm text (formats/libffm.hpp);
/// Guo, Tang, Ye, Li and He, DeepFM: a factorization-machine based neural network for CTR prediction, 2017, equations 1
/// to 4. With e_f, the sum of x_j v_j over the columns j of field f, the score is
///
///   s = w0 + sum_j w_j x_j + sum_{j < k} (v_j . v_k) x_j x_k + net(e_0, e_1, ...)
///
/// The net has a dense layer, relu and dropout for each hidden width that is not 0, then a dense layer with one value.
/// With S = sum_f e_f
///
///   ds/dw_j = x_j,  ds/dv_j = x_j (S - x_j v_j + dnet/de_f(j))
///
/// A batch reads and changes only the weights and factors of its own columns, lazily in the same ways as mlp's sparse
/// first layer; their l2 is by degree.
struct deepfm {
  using scalar_type = float;
  using workspace = deepfm_workspace;
  static constexpr std::string_view name = "deepfm";
  static constexpr bool takes_weights = true;
  using library_model = deepfm;
  static constexpr training_defaults defaults{
      .step = 0.01, .decay = 0.9, .optimizer = optimizer_kind::adagrad, .batch = 64, .l2 = 1e-5};
  /// In measurements two workers on their own replicas reached a worse loss; on one array they did not.
  static constexpr sharing_kind sharing = sharing_kind::direct;
  static constexpr std::size_t most_hidden = 4;       ///< hidden layers
  static constexpr std::size_t most_inputs = 65'536;  ///< inputs of the net: fields * factors

  std::size_t features = 0;                ///< columns that occur in the training data
  std::size_t fields = 0;                  ///< the largest field plus one; fields * factors is at most most_inputs
  std::size_t factors = 8;                 ///< > 0
  label_kind labels = label_kind::binary;  ///< binary: logistic loss; real: squared loss
  float mean = 0.0f, scale = 1.0f;  ///< for real labels: the score is mean + scale * s, its loss in units of the scale
  std::array<std::uint32_t, most_hidden> hidden = {64, 32};  ///< units of each hidden layer; 0: no such layer
  float dropout = 0.0f;                                      ///< rate after each hidden layer, in [0, 1)

  /// Floats of a column's factors, and of a field's part of the net's input.
  std::size_t width() const { return factors; }
  std::size_t inputs() const { return fields * factors; }  ///< inputs of the net
  std::size_t dim() const { return net_begin() + net().parameters(); }

  /// The layers, from the factors to the score.
  constexpr net_plan net() const {
    net_plan layers({static_cast<std::uint32_t>(fields * factors), 1, 1}, {});
    add_hidden_layers(layers, hidden, dropout);
    layers.add(dense(1));
    return layers;
  }

  std::vector<double> hyperparameters() const {
    std::vector<double> all{static_cast<double>(factors), static_cast<double>(fields), static_cast<double>(dropout)};
    all.insert(all.end(), hidden.begin(), hidden.end());
    return all;
  }
  /// The groups of a factorization machine, then the net's layers.
  std::vector<parameter_group> groups() const {
    const auto machine = fm_groups(features, width());
    std::vector<parameter_group> all(machine.begin(), machine.end());
    const auto layers = net_groups();
    all.insert(all.end(), layers.begin(), layers.end());
    return all;
  }

  /// Weights and bias begin at zero.
  void init(const param_view<float>& w, const counter_random& random) const {
    factor_rows{features, width(), factors}.init(w, random, 0.1 / std::sqrt(static_cast<double>(factors)));
    initialise_net(net(), w, random, net_begin());
  }

  /// Throws config_error if the rows' columns have no fields or the rows have more fields than this, if the net would
  /// have more inputs than most_inputs, and if this build has no nets. The message calls the rows `source`.
  void require_data(const sparse_view& rows, std::string_view source) const;
  workspace make_workspace(const sparse_view& data, isa, std::size_t batch) const;
  void take(workspace& space, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    space.take(k, z, random.bits(0));
  }

  void gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    feed(w, space, n);
    space.net().differentiate(n, [&](const net_outputs& at) {
      for (std::size_t l = 0; l < at.rows; ++l) {
        at.partials[l] = 0.0f;
        if (l >= at.examples) continue;
        const std::size_t k = at.first + l;
        const float score = score_of(space.score(k) + at.values[l]);
        at.partials[l] = at.part[l] * score_slope(labels, scale, score, space.label(k));
        space.set_slope(k, at.partials[l]);
      }
    });
    if (space.net().stopped()) return;
    const float of_bias = space.backward(n);
    sparse_layer& columns = space.columns();
    for (std::size_t s = 0; s < columns.columns().size(); ++s) {
      const std::size_t column = columns.columns()[s];
      const auto emit_columns = [&](std::size_t offset, std::span<const float> partials) {
        if constexpr (requires { emit.sparse_block(column, offset, partials, 1.0f); })
          emit.sparse_block(column, offset, partials, static_cast<float>(columns.count(s)) / static_cast<float>(n));
        else
          emit.block(offset, partials);
      };
      emit_columns(column * width(), columns.partials(s).first(factors));
      emit_columns(weight(column), columns.partials(s).subspan(factors));
    }
    emit.block(weight(features), std::span<const float>(&of_bias, 1));
    space.net().emit(emit, net_groups(), net_begin());
  }

  void score(const auto& w, workspace& space, std::size_t n, std::span<row_score> scores) const {
    feed(w, space, n);
    space.net().score(n, [&](const net_outputs& at) {
      for (std::size_t l = 0; l < at.examples; ++l) {
        const std::size_t k = at.first + l;
        const float score = score_of(space.score(k) + at.values[l]);
        scores[k] = {score_loss(labels, scale, score, space.label(k)), score};
      }
    });
  }

 private:
  float score_of(float s) const { return mean + scale * s; }
  std::size_t weight(std::size_t column) const { return features * width() + column; }
  /// Index of the net's first parameter.
  std::size_t net_begin() const { return weight(features) + 1; }
  std::vector<parameter_group> net_groups() const {
    auto all = groups_of(net(), false);
    for (parameter_group& g : all) g.offset += net_begin();
    return all;
  }

  /// Reads what examples 0 .. n-1 need, and computes the factorization machine's part.
  void feed(const auto& w, workspace& space, std::size_t n) const {
    sparse_layer& columns = space.columns();
    columns.gather(n);
    for (std::size_t s = 0; s < columns.columns().size(); ++s) {
      const std::size_t column = columns.columns()[s];
      w.block(column * width(), factors).copy_to(columns.weights(s).first(factors));
      columns.weights(s)[factors] = w[weight(column)];
    }
    space.net().read(w, net_groups(), net_begin());
    space.feed(n, w[weight(features)]);
  }
};

}  // namespace hogwild
