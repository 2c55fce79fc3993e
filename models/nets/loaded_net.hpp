// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <hogwild/error.hpp>

#include "loaded_workspace_model.hpp"

// Nets in saved models: the parameters of columns, the weights of an mlp's first layer, are saved by column; all others
// are the bias, group by group.

namespace hogwild::detail {

inline void require_parameters(bool fit) {
  if (!fit) throw config_error("these parameters are not those of this net");
}

template <class Net, class Loaded = loaded_workspace_model<Net>>
std::shared_ptr<const loaded_model> load_net(const Net& m, const saved_model& saved) {
  std::vector<float> parameters = saved.weights;
  parameters.insert(parameters.end(), saved.bias.begin(), saved.bias.end());
  if (parameters.size() != m.dim() || saved.labels.kind() != m.labels || saved.labels.classes() > m.classes)
    throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
  return std::make_shared<Loaded>(m, std::move(parameters), saved.columns);
}

/// Throws config_error if this build has no nets.
template <class Net>
void require_layers() {
  if (!has_layer_kernels()) throw config_error("the model " + std::string(Net::name) + " " + layer_kernels_missing());
}

inline constexpr const char* net_has_biases = "the layers of a net have biases of their own: leave out --bias";

}  // namespace hogwild::detail
