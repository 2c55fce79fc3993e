// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/quantile.hpp>

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

TEST(quantile, is_the_pinball_loss) {
  const quantile m{.q = 0.75f};
  EXPECT_DOUBLE_EQ(m.loss(1.0f, 5.0f), 3.0);
  EXPECT_DOUBLE_EQ(m.loss(5.0f, 1.0f), 1.0);
  EXPECT_DOUBLE_EQ(m.loss(2.0f, 2.0f), 0.0);
  EXPECT_EQ(m.derivative(1.0f, 5.0f), -0.75f);
  EXPECT_EQ(m.derivative(5.0f, 1.0f), 0.25f);
  EXPECT_EQ(m.derivative(2.0f, 2.0f), 0.0f);
}

TEST(quantile, is_made_for_a_fraction_between_none_and_all) {
  EXPECT_EQ(std::get<quantile>(make_model("quantile")).q, 0.5f);
  EXPECT_EQ(std::get<quantile>(make_model("quantile", {}, {{"quantile", "0.9"}})).q, 0.9f);
  for (const char* const wrong : {"0", "1", "-0.5", "1.5", "half"})
    EXPECT_THROW(make_model("quantile", {}, {{"quantile", wrong}}), config_error) << wrong;
}

TEST(quantile, is_saved_with_its_fraction) {
  const saved_model saved =
      to_saved(quantile{.q = 0.25f}, std::vector<float>{3.0f}, label_map(), std::vector<std::uint32_t>{1});
  EXPECT_EQ(parse_model(model_bytes(saved, model_format::text), "m"), saved);
  const predictor p(saved);
  EXPECT_EQ(std::get<quantile>(p.model()).q, 0.25f);
  EXPECT_EQ(p.label(test::owned_row{{0}, {2.0f}}), 6.0);
  EXPECT_DOUBLE_EQ(p.loss(test::owned_row{{0}, {2.0f}, 10.0f}), 1.0);
  saved_model wrong = saved;
  wrong.model_options.front().second = 1.0;
  EXPECT_THROW(predictor{wrong}, input_error);
  wrong.model_options.clear();
  EXPECT_THROW(predictor{wrong}, input_error);
}

}  // namespace
}  // namespace hogwild
