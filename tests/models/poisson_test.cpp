// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/poisson.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/registry.hpp>

#include "support/owned_row.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;

TEST(poisson, is_the_likelihood_of_counts) {
  const poisson m;
  EXPECT_DOUBLE_EQ(m.loss(0.0f, 3.0f), 1.0);
  EXPECT_DOUBLE_EQ(m.loss(2.0f, 3.0f), std::exp(2.0) - 6.0);
  EXPECT_FLOAT_EQ(m.derivative(2.0f, 3.0f), std::exp(2.0f) - 3.0f);
  EXPECT_FLOAT_EQ(m.prediction(2.0f), std::exp(2.0f));
  // The least loss of a count is at its logarithm.
  EXPECT_NEAR(m.derivative(std::log(7.0f), 7.0f), 0.0f, 1e-5f);
}

TEST(poisson, goes_on_as_a_tangent_where_counts_would_overflow) {
  const poisson m;
  const float at = poisson::most;
  EXPECT_NEAR(m.loss(at + 1.0f, 0.0f) / m.loss(at, 0.0f), 2.0, 1e-6);
  EXPECT_EQ(m.derivative(at + 100.0f, 0.0f), m.derivative(at, 0.0f));
  EXPECT_EQ(m.prediction(1e30f), m.prediction(at));
  EXPECT_TRUE(std::isfinite(m.prediction(at)));
}

TEST(poisson, learns_counts_alone) {
  test::toy_rows toy;
  toy.columns = 1;
  toy.push({0}, {1.0f}, 0.0f);
  toy.push({0}, {1.0f}, 4.0f);
  const csr_rows counts = toy.csr();
  EXPECT_NO_THROW(poisson{}.require_data(counts.view(), "counts"));
  toy.push({0}, {1.0f}, -1.0f);
  const csr_rows others = toy.csr();
  try {
    poisson{}.require_data(others.view(), "others");
    FAIL();
  } catch (const input_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("others: a label is -1, but poisson learns counts"));
  }
}

TEST(poisson, predicts_the_count_that_it_expects) {
  const saved_model saved =
      to_saved(make_model("poisson"), std::vector<float>{0.5f, 1.0f}, label_map(), std::vector<std::uint32_t>{3});
  EXPECT_EQ(parse_model(model_bytes(saved, model_format::text), "m"), saved);
  const predictor p(saved);
  const test::owned_row z{{0}, {2.0f}, 5.0f};
  EXPECT_NEAR(p.label(z), std::exp(2.0), 1e-5);
  EXPECT_NEAR(p.loss(z), std::exp(2.0) - 10.0, 1e-6);
  EXPECT_FALSE(p.has_probabilities());
}

}  // namespace
}  // namespace hogwild
