// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/net.hpp>

#include <cmath>

namespace hogwild {
namespace {

struct group_names {
  std::string_view weights, bias;
};
// A group's name is a string_view, so the names live as long as the program. No net has more layers of a kind.
constexpr std::array<group_names, 4> convolutions = {{{"conv1.weights", "conv1.bias"},
                                                      {"conv2.weights", "conv2.bias"},
                                                      {"conv3.weights", "conv3.bias"},
                                                      {"conv4.weights", "conv4.bias"}}};
constexpr std::array<group_names, 6> dense_layers = {{{"fc1.weights", "fc1.bias"},
                                                      {"fc2.weights", "fc2.bias"},
                                                      {"fc3.weights", "fc3.bias"},
                                                      {"fc4.weights", "fc4.bias"},
                                                      {"fc5.weights", "fc5.bias"},
                                                      {"fc6.weights", "fc6.bias"}}};

}  // namespace

std::vector<parameter_group> groups_of(const net_plan& net, bool by_column) {
  std::vector<parameter_group> groups;
  std::size_t convolution = 0, dense_layer = 0;
  for (const placed_layer& at : net) {
    if (!at.trains()) continue;
    const group_names& name =
        at.layer.kind == layer_kind::convolution ? convolutions.at(convolution++) : dense_layers.at(dense_layer++);
    groups.push_back({.name = name.weights,
                      .offset = at.weights,
                      .rows = at.inputs,
                      .width = at.layer.outputs,
                      .hot_first = by_column && groups.empty()});
    groups.push_back({.name = name.bias,
                      .offset = at.biases(),
                      .rows = 1,
                      .width = at.layer.outputs,
                      .hot_first = false,
                      .l2 = false});
  }
  return groups;
}

void initialise_net(const net_plan& net, const param_view<float>& parameters, const counter_random& random,
                    std::size_t first) {
  for (const placed_layer& at : net) {
    if (!at.trains()) continue;
    const double bound = 1.0 / std::sqrt(static_cast<double>(at.inputs));
    for (std::size_t j = first + at.weights; j < first + at.end(); ++j)
      parameters.store(j, static_cast<float>(bound * (2.0 * random.uniform(j) - 1.0)));
  }
}

}  // namespace hogwild
