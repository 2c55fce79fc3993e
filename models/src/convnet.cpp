// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/convnet.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include <hogwild/core/error.hpp>

namespace hogwild {

static_assert(mnist_net.layers.parameters() == 21'840 && cifar_net.layers.parameters() == 31'340 &&
              cifar_3x3_net.layers.parameters() == 126'970);

namespace {

image_shape shape_of(const image_net& net) {
  const net_shape input = net.layers.input();
  return {input.planes, input.height, input.width};
}

/// "'cifar' and 'cifar_3x3'": the nets for images of this shape; empty where there are none.
std::string nets_for(const image_shape& image) {
  std::string names;
  for (const image_net* net : image_nets)
    if (shape_of(*net) == image) names += (names.empty() ? "'" : " or '") + std::string(net->name) + "'";
  return names;
}

}  // namespace

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
