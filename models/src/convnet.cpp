// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/convnet.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include <hogwild/core/error.hpp>

namespace hogwild {

static_assert(mnist_net.layers.parameters() == 21'840 && cifar_net.layers.parameters() == 31'340);

std::vector<std::uint32_t> convnet::pixels_of(const sparse_view& images) const {
  std::vector<std::uint32_t> pixel(images.columns);
  if (images.original.empty())
    std::iota(pixel.begin(), pixel.end(), std::uint32_t{0});
  else
    std::ranges::transform(images.original, pixel.begin(), [](std::uint32_t number) { return number - first_pixel; });
  const net_shape shape = net().layers.input();
  for (const std::uint32_t at : pixel) {
    if (at >= shape.size())
      throw config_error("the net '" + std::string(net().name) + "' takes images of " + std::to_string(shape.planes) +
                         " x " + std::to_string(shape.height) + " x " + std::to_string(shape.width) +
                         " bytes, but the data have a pixel " + std::to_string(std::size_t{at} + first_pixel) +
                         "; name the net that suits them (mnist: 28 x 28, grey; cifar: 32 x 32, three colours)");
  }
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
