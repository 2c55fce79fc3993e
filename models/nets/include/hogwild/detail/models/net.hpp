// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/model.hpp>

// A feed-forward net, described layer by layer, and what follows from that: shapes, where each layer's parameters are,
// their initial values. Nothing here computes; see net_workspace.hpp.

namespace hogwild {

enum class layer_kind : std::uint32_t { convolution, max_pool, relu, channel_dropout, dropout, dense };

/// A layer's description; made by the functions below.
struct net_layer {
  layer_kind kind{};
  std::uint32_t outputs = 0;  ///< a convolution's planes, a dense layer's values
  std::uint32_t side = 0;     ///< side of a convolution's window
  float rate = 0.0f;          ///< dropout's rate, in [0, 1)
};

/// Windows of side x side values, over all planes, one value apart; none crosses an edge.
constexpr net_layer convolution(std::uint32_t planes, std::uint32_t side) {
  return {layer_kind::convolution, planes, side, 0.0f};
}
/// The maximum of each 2 x 2 values; an odd last row or column is left out.
constexpr net_layer max_pool() {
  return {layer_kind::max_pool, 0, 0, 0.0f};
}
constexpr net_layer relu() {
  return {layer_kind::relu, 0, 0, 0.0f};
}
/// In training each plane of an example is 0 with probability `rate`, else multiplied by 1 / (1 - rate).
constexpr net_layer channel_dropout(float rate) {
  return {layer_kind::channel_dropout, 0, 0, rate};
}
/// The same for each value separately.
constexpr net_layer dropout(float rate) {
  return {layer_kind::dropout, 0, 0, rate};
}
/// Every output depends on every value.
constexpr net_layer dense(std::uint32_t outputs) {
  return {layer_kind::dense, outputs, 0, 0.0f};
}

/// The values between two layers: planes of height x width values; a flat vector is planes of one value.
struct net_shape {
  std::uint32_t planes = 1, height = 1, width = 1;
  constexpr std::size_t size() const { return std::size_t{planes} * height * width; }
  bool operator==(const net_shape&) const = default;
};

/// A layer in its place. Its weights are `inputs` rows of layer.outputs, followed by its biases.
struct placed_layer {
  net_layer layer{};
  net_shape from{}, to{};
  std::size_t inputs = 0;   ///< inputs of each output: values of a window, or all; 0 without parameters
  std::size_t weights = 0;  ///< where the weights begin
  constexpr bool trains() const { return inputs != 0; }
  constexpr std::size_t biases() const { return weights + inputs * layer.outputs; }
  constexpr std::size_t end() const { return biases() + layer.outputs; }
};

/// Layers one after the other; the last one's outputs are the scores of the classes. Can be copied byte by byte.
class net_plan {
 public:
  static constexpr std::size_t most_layers = 16;

  constexpr net_plan() = default;
  constexpr net_plan(net_shape input, std::initializer_list<net_layer> layers) : input_(input) {
    for (const net_layer& layer : layers) add(layer);
  }

  /// At most most_layers; a convolution's window must fit into the layer before it.
  constexpr void add(const net_layer& layer) {
    placed_layer next{.layer = layer, .from = output(), .to = output(), .weights = parameters()};
    switch (layer.kind) {
      case layer_kind::convolution:
        next.inputs = std::size_t{next.from.planes} * layer.side * layer.side;
        next.to = {layer.outputs, next.from.height - layer.side + 1, next.from.width - layer.side + 1};
        break;
      case layer_kind::max_pool:
        next.to = {next.from.planes, next.from.height / 2, next.from.width / 2};
        break;
      case layer_kind::dense:
        next.inputs = next.from.size();
        next.to = {layer.outputs, 1, 1};
        break;
      case layer_kind::relu:
      case layer_kind::channel_dropout:
      case layer_kind::dropout:
        break;
    }
    layers_[count_++] = next;
  }

  constexpr net_shape input() const { return input_; }
  constexpr net_shape output() const { return count_ == 0 ? input_ : layers_[count_ - 1].to; }
  constexpr std::size_t size() const { return count_; }
  constexpr const placed_layer& operator[](std::size_t i) const { return layers_[i]; }
  constexpr const placed_layer* begin() const { return layers_.data(); }
  constexpr const placed_layer* end() const { return layers_.data() + count_; }

  constexpr std::size_t parameters() const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count_; ++i)
      if (layers_[i].trains()) n = layers_[i].end();
    return n;
  }

 private:
  net_shape input_{};
  std::size_t count_ = 0;
  std::array<placed_layer, most_layers> layers_{};
};

/// For each width that is not 0 a dense layer, relu, and dropout if its rate is above 0.
constexpr void add_hidden_layers(net_plan& net, std::span<const std::uint32_t> widths, float rate) {
  for (const std::uint32_t width : widths) {
    if (width == 0) continue;
    net.add(dense(width));
    net.add(relu());
    if (rate > 0.0f) net.add(dropout(rate));
  }
}

/// Two groups a layer, "conv1.weights", "conv1.bias", ..., "fc1.weights", ... With `by_column` the first layer's rows
/// belong to the columns of the data. l2 does not apply to biases.
std::vector<parameter_group> groups_of(const net_plan& net, bool by_column);

/// Draws weights and biases of a layer uniformly from +-1/sqrt(its inputs). The net's parameters begin at `first`.
void initialise_net(const net_plan& net, const param_view<float>& parameters, const counter_random& random,
                    std::size_t first = 0);

}  // namespace hogwild
