// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/linear_classes.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/models/softmax.hpp>

namespace hogwild {
namespace {

TEST(linear_classes, a_row_without_classes_has_no_derivatives_of_the_cross_entropy) {
  const softmax m{.features = 0, .classes = 3};
  const std::array<std::uint32_t, 1> second{1};
  const std::array<std::span<const std::uint32_t>, 2> given{std::span<const std::uint32_t>(), second};
  std::vector<float> scores{1.0f, 2.0f, 3.0f, 0.0f, 0.0f, 0.0f};
  std::array<double, 2> losses{};
  linear_classes(m).respond(2, scores.data(), given.data(), losses.data());
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(scores[k], 0.0f) << k;
  EXPECT_NEAR(scores[4], 1.0f / 3.0f - 1.0f, 1e-6f);
}

}  // namespace
}  // namespace hogwild
