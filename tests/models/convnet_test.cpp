// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/convnet.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/core/error.hpp>
#include <hogwild/models/mlp.hpp>

namespace {

using namespace hogwild;

static_assert(workspace_model<convnet> && workspace_model<mlp>);
static_assert(segment_storable<convnet> && segment_storable<mlp>);

/// Data of so many columns under these numbers; rows are not looked at.
sparse_view columns(const std::vector<std::uint32_t>& original) {
  sparse_view data;
  data.columns = original.size();
  data.original = original;
  return data;
}

TEST(convnet, bytes_go_to_their_pixels_and_what_is_missing_is_dark) {
  for (const auto& [net, which] :
       {std::pair{&mnist_net, convolutional_net::mnist}, std::pair{&cifar_net, convolutional_net::cifar}}) {
    const convnet m{.which = which};
    const std::size_t size = net->layers.input().size(), plane = size / net->layers.input().planes;
    std::vector<std::uint32_t> original(size);
    std::iota(original.rbegin(), original.rend(), first_pixel);  // ranks need not be in the order of the pixels
    auto space = m.make_workspace(columns(original), isa::automatic, 20);
    for (int twice = 0; twice < 2; ++twice) {  // an earlier image leaves nothing behind
      const std::vector<std::uint32_t> index = {
          0, static_cast<std::uint32_t>(size - 1 - 40 - static_cast<std::size_t>(twice))};
      const std::vector<float> value = {255.0f, 51.0f};
      m.take(space, 17, {index, value, 3.0f}, counter_random(1, 2));
      const float* const image = space.net.input(17);
      for (std::size_t at = 0; at < size; ++at) {
        const std::size_t p = at / plane;
        const float byte = at == size - 1 ? 255.0f : at == 40 + static_cast<std::size_t>(twice) ? 51.0f : 0.0f;
        ASSERT_NEAR(image[at * space.net.stride()], (byte / 255.0f - net->mean[p]) / net->deviation[p], 1e-5f) << at;
      }
    }
  }
}

TEST(convnet, refuses_images_that_it_has_no_pixels_for) {
  const std::vector<std::uint32_t> original = {1, 784, 785};
  try {
    convnet{}.make_workspace(columns(original), isa::automatic, 1);
    FAIL() << "it has 784 pixels";
  } catch (const config_error& e) {
    EXPECT_NE(std::string(e.what()).find("'mnist' takes images of 1 x 28 x 28"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("pixel 785"), std::string::npos) << e.what();
  }
}

TEST(mlp, takes_rows_by_their_columns_and_scales_them) {
  const mlp m{.features = 5, .classes = 2, .hidden = {3}, .scale = 0.5f};
  auto space = m.make_workspace({}, isa::automatic, 2);
  const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4}, two = {4, 1};
  const std::vector<float> ones(5, 1.0f), value = {3.0f, -2.0f};
  m.take(space, 1, {all, ones, 0.0f}, counter_random(1, 2));
  m.take(space, 1, {two, value, 1.0f}, counter_random(1, 2));
  const float expected[] = {0.0f, -1.0f, 0.0f, 0.0f, 1.5f};
  for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(space.input(1)[j * space.stride()], expected[j]) << j;
}

}  // namespace
