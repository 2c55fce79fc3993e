// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/squared_hinge.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "support/owned_row.hpp"

namespace hogwild {
namespace {

TEST(squared_hinge, is_the_square_of_the_slack) {
  const squared_hinge m;
  EXPECT_DOUBLE_EQ(m.loss(-1.0f, 1.0f), 4.0);
  EXPECT_DOUBLE_EQ(m.loss(0.5f, 1.0f), 0.25);
  EXPECT_DOUBLE_EQ(m.loss(0.5f, -1.0f), 2.25);
  EXPECT_DOUBLE_EQ(m.loss(1.5f, 1.0f), 0.0);
  EXPECT_EQ(m.derivative(-1.0f, 1.0f), -4.0f);
  EXPECT_EQ(m.derivative(0.5f, -1.0f), 3.0f);
  EXPECT_EQ(m.derivative(1.5f, 1.0f), 0.0f);
}

TEST(squared_hinge, is_saved_and_predicts_by_its_sign) {
  const std::vector<std::uint32_t> original = {8, 4};
  const label_map labels(label_kind::binary, {3.0, 7.0});
  const saved_model saved =
      to_saved(make_model("squared_hinge"), std::vector<float>{2.0f, -1.0f, 0.25f}, labels, original);
  EXPECT_EQ(parse_model(model_bytes(saved, model_format::text), "m"), saved);
  const predictor p(saved);
  EXPECT_EQ(p.label(test::owned_row{{1}, {1.0f}}), 7.0);
  EXPECT_EQ(p.label(test::owned_row{{0}, {1.0f}}), 3.0);
  EXPECT_DOUBLE_EQ(p.loss(test::owned_row{{0}, {1.0f}, -1.0f}), 0.0625);
  EXPECT_FALSE(p.has_probabilities());
}

}  // namespace
}  // namespace hogwild
