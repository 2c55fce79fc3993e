// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/saved_model.hpp>

#include "loaded_models.hpp"

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

// The hidden layers of a net, as an option gives their widths and a saved model stores them. A width of 0 is no layer.

inline constexpr std::size_t most_hidden = 4, widest_hidden = 65'536;
using hidden_widths = std::array<std::uint32_t, most_hidden>;

inline model_option hidden_option(std::string otherwise) {
  return {"hidden", "WIDTH,...", std::move(otherwise), "how wide the hidden layers are, at most four",
          [](const std::string& text) -> std::string {
            if (!counts_in(text).empty()) return {};
            return quote(text) + " is not WIDTH,WIDTH,... with whole numbers above 0";
          }};
}

inline model_option dropout_option() {
  return number_option("dropout", 0.0, "fraction of each hidden layer that training leaves out");
}

/// Throws config_error for a rate out of range.
inline float dropout_of(const model_options& options, const std::string& model) {
  const double rate = options.number("dropout", 0.0);
  if (!(rate >= 0.0 && rate < 1.0)) throw config_error("the dropout of " + model + " must be 0 or more and below 1");
  return static_cast<float>(rate);
}

/// Throws config_error for more layers, or wider ones, than `model` has.
inline hidden_widths hidden_of(const std::vector<std::size_t>& widths, const std::string& model) {
  if (widths.size() > most_hidden)
    throw config_error(model + " has at most " + std::to_string(most_hidden) + " hidden layers");
  for (const std::size_t width : widths)
    if (width == 0 || width > widest_hidden)
      throw config_error("a hidden layer of " + model + " has 1 to " + std::to_string(widest_hidden) + " values");
  hidden_widths hidden{};
  std::ranges::transform(widths, hidden.begin(), [](std::size_t width) { return static_cast<std::uint32_t>(width); });
  return hidden;
}

/// Saves them as options "hidden1", "hidden2", ...
inline void save_hidden(std::span<const std::uint32_t> hidden, saved_model& saved) {
  std::string name = "hidden1";
  for (const std::uint32_t width : hidden) {
    if (width == 0) continue;
    saved.model_options.emplace_back(name, static_cast<double>(width));
    ++name.back();
  }
}

/// Throws input_error for anything that is not a width, config_error for more layers than a model has.
inline hidden_widths saved_hidden(const saved_model& saved) {
  std::vector<std::size_t> widths;
  std::string name = "hidden1";
  for (const auto& option : saved.model_options) {
    if (!option.first.starts_with("hidden")) continue;
    widths.push_back(saved_count(saved, name, widest_hidden));
    ++name.back();
  }
  return hidden_of(widths, saved.model);
}

}  // namespace hogwild::detail
