// SPDX-License-Identifier: Apache-2.0
#include "saved_nets.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/core/error.hpp>

#include "saved_options.hpp"
#include "shared_net.hpp"

namespace hogwild::detail {
namespace {

template <class Net>
std::shared_ptr<saved_net> read(const Net& m, const saved_model& saved) {
  std::vector<float> parameters = saved.weights;
  parameters.insert(parameters.end(), saved.bias.begin(), saved.bias.end());
  if (parameters.size() != m.dim() || saved.labels.kind() != m.labels || saved.labels.classes() > m.classes)
    throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
  return std::make_shared<shared_net<Net>>(m, saved.columns, std::move(parameters));
}

void require_parameters(bool fit) {
  if (!fit) throw config_error("these parameters are not those of this net");
}

}  // namespace

saved_model net_to_saved(const mlp& m, std::span<const float> parameters, std::span<const std::uint32_t> ranks) {
  require_parameters(parameters.size() == m.dim() && ranks.size() == m.features);
  saved_model saved;
  saved.model_options.emplace_back("scale", static_cast<double>(m.scale));
  std::string name = "hidden1";
  for (const std::uint32_t width : m.hidden) {
    if (width == 0) continue;
    saved.model_options.emplace_back(name, static_cast<double>(width));
    ++name.back();
  }
  saved.width = m.groups().front().width;
  for (const std::uint32_t rank : ranks) {
    const auto row = parameters.subspan(rank * saved.width, saved.width);
    saved.weights.insert(saved.weights.end(), row.begin(), row.end());
  }
  const auto rest = parameters.subspan(saved.weights.size());
  saved.bias.assign(rest.begin(), rest.end());
  return saved;
}

saved_model net_to_saved(const convnet& m, std::span<const float> parameters, std::span<const std::uint32_t>) {
  require_parameters(parameters.size() == m.dim());
  saved_model saved;
  saved.model_options.emplace_back(m.net().name, 1.0);
  saved.width = 0;
  saved.bias.assign(parameters.begin(), parameters.end());
  return saved;
}

void choose_net(const saved_model& saved, model_choice& choice) {
  choice.classes = saved.labels.classes();
  if (saved.model == convnet::name) {
    choice.net.clear();
    for (const auto& [name, value] : saved.model_options)
      for (const image_net* net : image_nets)
        if (name == net->name) choice.net = name;
    if (choice.net.empty()) throw input_error("the saved convnet does not say by an option which net it is");
    return;
  }
  const auto is_scale = [](double x) { return std::isfinite(static_cast<float>(x)) && static_cast<float>(x) != 0.0f; };
  choice.scale = saved_option(saved, "scale", is_scale, "a number, not 0, that fits single precision");
  choice.hidden.clear();
  std::string name = "hidden1";
  for (const auto& option : saved.model_options) {
    if (!option.first.starts_with("hidden")) continue;
    choice.hidden.push_back(static_cast<std::uint32_t>(saved_count(saved, name, 65'536)));
    ++name.back();
  }
}

std::shared_ptr<saved_net> read_net(const mlp& m, const saved_model& saved) {
  return read(m, saved);
}
std::shared_ptr<saved_net> read_net(const convnet& m, const saved_model& saved) {
  return read(m, saved);
}

}  // namespace hogwild::detail
