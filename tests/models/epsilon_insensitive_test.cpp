// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/epsilon_insensitive.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "support/owned_row.hpp"

namespace hogwild {
namespace {

TEST(epsilon_insensitive, costs_what_an_error_is_more_than_epsilon) {
  const epsilon_insensitive m{.epsilon = 0.5f};
  EXPECT_DOUBLE_EQ(m.loss(1.0f, 5.0f), 3.5);
  EXPECT_DOUBLE_EQ(m.loss(5.0f, 1.0f), 3.5);
  EXPECT_DOUBLE_EQ(m.loss(2.0f, 2.5f), 0.0);
  EXPECT_DOUBLE_EQ(m.loss(2.0f, 2.25f), 0.0);
  EXPECT_EQ(m.derivative(1.0f, 5.0f), -1.0f);
  EXPECT_EQ(m.derivative(5.0f, 1.0f), 1.0f);
  EXPECT_EQ(m.derivative(2.0f, 2.5f), 0.0f);
  EXPECT_EQ(m.derivative(2.0f, 1.75f), 0.0f);
}

TEST(epsilon_insensitive, is_made_for_an_epsilon_that_is_not_negative) {
  EXPECT_EQ(std::get<epsilon_insensitive>(make_model("epsilon_insensitive")).epsilon, 0.1f);
  EXPECT_EQ(std::get<epsilon_insensitive>(make_model("epsilon_insensitive", {}, {{"epsilon", "0"}})).epsilon, 0.0f);
  for (const char* const wrong : {"-0.5", "1e60", "half"})
    EXPECT_THROW(make_model("epsilon_insensitive", {}, {{"epsilon", wrong}}), config_error) << wrong;
}

TEST(epsilon_insensitive, is_saved_with_its_epsilon) {
  const saved_model saved = to_saved(epsilon_insensitive{.epsilon = 0.25f}, std::vector<float>{3.0f}, label_map(),
                                     std::vector<std::uint32_t>{1});
  EXPECT_EQ(parse_model(model_bytes(saved, model_format::text), "m"), saved);
  const predictor p(saved);
  EXPECT_EQ(p.label(test::owned_row{{0}, {2.0f}}), 6.0);
  EXPECT_DOUBLE_EQ(p.loss(test::owned_row{{0}, {2.0f}, 10.0f}), 3.75);
  saved_model wrong = saved;
  wrong.model_options.front().second = -1.0;
  EXPECT_THROW(predictor{wrong}, input_error);
  wrong.model_options.clear();
  EXPECT_THROW(predictor{wrong}, input_error);
}

}  // namespace
}  // namespace hogwild
