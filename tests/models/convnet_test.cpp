// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/convnet.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>
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
  for (const convolutional_net which :
       {convolutional_net::mnist, convolutional_net::cifar, convolutional_net::cifar_3x3}) {
    const convnet m{.which = which};
    const image_net* const net = &m.net();
    const std::size_t size = net->layers.input().size(), plane = size / net->layers.input().planes;
    std::vector<std::uint32_t> original(size);
    std::iota(original.rbegin(), original.rend(), first_pixel);  // positions need not be in the order of the pixels
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

std::string refusal_of(const convnet& m, const sparse_view& rows) {
  try {
    m.require_data(rows, "digits.gz");
  } catch (const config_error& e) {
    return e.what();
  }
  return {};
}

TEST(convnet, refuses_images_of_another_size_by_name) {
  sparse_view rows;
  rows.image = {1, 28, 28};
  EXPECT_EQ(refusal_of(convnet{}, rows), "");
  EXPECT_EQ(refusal_of(convnet{.which = convolutional_net::cifar}, rows),
            "the net 'cifar' takes images of 3 x 32 x 32 (planes, height, width), but those of digits.gz are "
            "1 x 28 x 28: train the net 'mnist'");
  rows.image = {3, 32, 32};
  EXPECT_EQ(refusal_of(convnet{.which = convolutional_net::cifar_3x3}, rows), "");
  EXPECT_TRUE(refusal_of(convnet{}, rows).ends_with("train the net 'cifar' or 'cifar_3x3'"));
  rows.image = {1, 28, 27};
  EXPECT_TRUE(refusal_of(convnet{}, rows).ends_with("are 1 x 28 x 27: no net here takes such images"));
}

TEST(convnet, refuses_rows_that_have_columns_which_are_no_pixels) {
  for (const std::uint32_t other : {785u, 0u}) {
    const std::vector<std::uint32_t> original = {1, 784, other};
    EXPECT_EQ(refusal_of(convnet{}, columns(original)),
              "the net 'mnist' takes images of 1 x 28 x 28 (planes, height, width), but digits.gz has a column " +
                  std::to_string(other) + ", which is no pixel of them: train another net, or give it images");
    EXPECT_THROW(convnet{}.make_workspace(columns(original), isa::automatic, 1), config_error);
  }
  sparse_view unnamed;
  unnamed.columns = 784;
  EXPECT_EQ(refusal_of(convnet{}, unnamed), "") << "pixels in their order";
  unnamed.columns = 785;
  EXPECT_NE(refusal_of(convnet{}, unnamed), "");
}

TEST(mlp, takes_rows_by_their_columns_and_scales_them) {
  const mlp m{.features = 5, .classes = 2, .hidden = {3}, .scale = 0.5f};
  auto space = m.make_workspace({}, isa::automatic, 2);
  const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4}, two = {4, 1};
  const std::vector<float> ones(5, 1.0f), value = {3.0f, -2.0f};
  m.take(space, 1, {all, ones, 0.0f}, counter_random(1, 2));
  m.take(space, 1, {two, value, 1.0f}, counter_random(1, 2));
  const float expected[] = {0.0f, -1.0f, 0.0f, 0.0f, 1.5f};
  for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(space.net.input(1)[j * space.net.stride()], expected[j]) << j;
}

}  // namespace
