// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/modified_huber.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include <hogwild/registry.hpp>

#include "support/owned_row.hpp"

namespace hogwild {
namespace {

using ::testing::ElementsAre;

TEST(modified_huber, is_square_near_the_margin_and_straight_far_away) {
  const modified_huber m;
  EXPECT_DOUBLE_EQ(m.loss(2.0f, 1.0f), 0.0);
  EXPECT_DOUBLE_EQ(m.loss(0.5f, 1.0f), 0.25);
  EXPECT_DOUBLE_EQ(m.loss(-1.0f, 1.0f), 4.0);
  EXPECT_DOUBLE_EQ(m.loss(3.0f, -1.0f), 12.0);
  EXPECT_EQ(m.derivative(2.0f, 1.0f), 0.0f);
  EXPECT_EQ(m.derivative(0.5f, 1.0f), -1.0f);
  EXPECT_EQ(m.derivative(3.0f, -1.0f), 4.0f);
}

TEST(modified_huber, tells_probabilities_between_the_margins) {
  const std::vector<std::uint32_t> original = {8, 4};
  const label_map labels(label_kind::binary, {0.0, 1.0});
  const saved_model saved = to_saved(make_model("modified_huber"), std::vector<float>{2.0f, -0.5f}, labels, original);
  EXPECT_EQ(parse_model(model_bytes(saved, model_format::binary), "m"), saved);
  const predictor p(saved);
  ASSERT_TRUE(p.has_probabilities());
  EXPECT_THAT(p.probabilities(test::owned_row{{1}, {1.0f}}), ElementsAre(1.0));
  EXPECT_THAT(p.probabilities(test::owned_row{{0}, {1.0f}}), ElementsAre(0.25));
  EXPECT_THAT(p.probabilities(test::owned_row{{0}, {9.0f}}), ElementsAre(0.0));
  EXPECT_EQ(p.label(test::owned_row{{1}, {1.0f}}), 1.0);
}

}  // namespace
}  // namespace hogwild
