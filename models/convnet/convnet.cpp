// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/convnet.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "nets/loaded_net.hpp"

namespace hogwild {

static_assert(mnist_net.layers.parameters() == 21'840 && cifar_net.layers.parameters() == 31'340 &&
              cifar_3x3_net.layers.parameters() == 126'970);

namespace {

image_shape shape_of(const image_net& net) {
  const net_shape input = net.layers.input();
  return {input.planes, input.height, input.width};
}

/// "'cifar' and 'cifar_3x3'": the nets for images of this shape; empty if there are none.
std::string nets_for(const image_shape& image) {
  std::string names;
  for (const image_net* net : image_nets)
    if (shape_of(*net) == image) names += (names.empty() ? "'" : " or '") + std::string(net->name) + "'";
  return names;
}

std::vector<std::string> net_names() {
  std::vector<std::string> names;
  for (const image_net* const net : image_nets) names.emplace_back(net->name);
  return names;
}

convnet named_net(std::string_view name) {
  detail::require_layers<convnet>();
  std::string known;
  for (std::size_t i = 0; i < image_nets.size(); ++i) {
    if (name == image_nets[i]->name) return {.which = static_cast<convolutional_net>(i)};
    known += (i == 0 ? "" : ", ") + std::string(image_nets[i]->name);
  }
  throw config_error("there is no net " + quote(name) + "; there are " + known);
}

class convnet_descriptor final : public descriptor_for<convnet> {
 public:
  convnet_descriptor()
      : descriptor_for({.summary = "one of ten classes of images: a convolutional net",
                        .options = {word_option("net", net_names(),
                                                "for grey images of 28 x 28, or coloured ones of 32 x 32; cifar_3x3 "
                                                "has two pairs of convolutions")},
                        .no_bias = detail::net_has_biases}) {}

  void check(const model_options&) const override { detail::require_layers<convnet>(); }

  named_model make(const model_data&, const model_options& options) const override {
    return named_net(options.text("net", image_nets.front()->name));
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    std::string net;
    for (const auto& [name, value] : saved.model_options)
      for (const image_net* const known : image_nets)
        if (name == known->name) net = name;
    if (net.empty()) throw input_error("the saved convnet does not say by an option which net it is");
    return detail::load_net(named_net(net), saved);
  }

 private:
  saved_model save_model(const convnet& m, const trained_parameters& trained) const override {
    detail::require_parameters(trained.values.size() == m.dim());
    saved_model saved;
    saved.model_options.emplace_back(m.net().name, 1.0);
    saved.width = 0;
    saved.bias.assign(trained.values.begin(), trained.values.end());
    return saved;
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<convnet>() {
  static const convnet_descriptor descriptor;
  return descriptor;
}

void convnet::require_data(const sparse_view& rows, std::string_view source) const {
  if (!has_layer_kernels()) throw config_error("the model convnet " + layer_kernels_missing());
  const image_shape wanted = shape_of(net());
  const std::string takes =
      "the net '" + std::string(net().name) + "' takes images of " + name_of(wanted) + " (planes, height, width), but ";
  if (rows.image.known() && rows.image != wanted) {
    const std::string others = nets_for(rows.image);
    throw config_error(takes + "those of " + std::string(source) + " are " + name_of(rows.image) + ": " +
                       (others.empty() ? "no net here takes such images" : "train the net " + others));
  }
  for (std::size_t j = 0; j < rows.columns; ++j) {
    const std::size_t pixel = rows.original.empty() ? j + first_pixel : rows.original[j];
    if (pixel - first_pixel < wanted.size()) continue;
    throw config_error(takes + std::string(source) + " has a column " + std::to_string(pixel) +
                       ", which is no pixel of them: train another net, or give it images");
  }
}

std::vector<std::uint32_t> convnet::pixels_of(const sparse_view& images) const {
  require_data(images, "the data");
  std::vector<std::uint32_t> pixel(images.columns);
  if (images.original.empty())
    std::iota(pixel.begin(), pixel.end(), std::uint32_t{0});
  else
    std::ranges::transform(images.original, pixel.begin(), [](std::uint32_t number) { return number - first_pixel; });
  return pixel;
}

void convnet::write_image(workspace& space, std::size_t k, const sparse_row<float>& image) const {
  const image_net& kind = net();
  const std::size_t plane = std::size_t{kind.layers.input().height} * kind.layers.input().width;
  float* const to = space.net.input(k);
  const std::size_t stride = space.net.stride();
  std::array<float, 3> scale{}, dark{};
  for (std::size_t p = 0; p < kind.layers.input().planes; ++p) {
    scale[p] = 1.0f / (255.0f * kind.deviation[p]);
    dark[p] = -kind.mean[p] / kind.deviation[p];
    space.net.fill(k, p * plane, plane, dark[p]);
  }
  for (auto [column, byte] : image) {
    const std::size_t at = space.pixel[column], p = at / plane;
    to[at * stride] = byte * scale[p] + dark[p];
  }
}

}  // namespace hogwild
