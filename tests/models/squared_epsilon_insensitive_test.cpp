// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/squared_epsilon_insensitive.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <variant>
#include <vector>

#include <hogwild/registry.hpp>

#include "support/owned_row.hpp"

namespace hogwild {
namespace {

TEST(squared_epsilon_insensitive, is_the_square_of_what_an_error_is_more) {
  const squared_epsilon_insensitive m{.epsilon = 0.5f};
  EXPECT_DOUBLE_EQ(m.loss(1.0f, 5.0f), 12.25);
  EXPECT_DOUBLE_EQ(m.loss(5.0f, 1.0f), 12.25);
  EXPECT_DOUBLE_EQ(m.loss(2.0f, 2.25f), 0.0);
  EXPECT_EQ(m.derivative(2.0f, 2.5f), 0.0f);
  for (const float margin : {-2.0f, 0.0f, 0.75f, 1.25f, 4.0f}) {
    const double h = 0.125, up = m.loss(margin + 0.125f, 1.0f), down = m.loss(margin - 0.125f, 1.0f);
    EXPECT_DOUBLE_EQ(static_cast<double>(m.derivative(margin, 1.0f)), (up - down) / (2.0 * h)) << margin;
  }
}

TEST(squared_epsilon_insensitive, is_saved_with_its_epsilon) {
  const named_model made = make_model("squared_epsilon_insensitive", {}, {{"epsilon", "0.25"}});
  EXPECT_EQ(std::get<squared_epsilon_insensitive>(made).epsilon, 0.25f);
  const predictor p(to_saved(made, std::vector<float>{3.0f}, label_map(), std::vector<std::uint32_t>{1}));
  EXPECT_DOUBLE_EQ(p.loss(test::owned_row{{0}, {2.0f}, 10.0f}), 3.75 * 3.75);
}

}  // namespace
}  // namespace hogwild
