// SPDX-License-Identifier: Apache-2.0
// Losses of margin models by hand, and the saved form of those with a number of their own; laws/margin_laws_test.cpp
// has what all of them have in common.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models.hpp>
#include <hogwild/registry.hpp>

#include "support/owned_row.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct by_hand {
  float margin, label;
  double loss;
  float derivative;
};

template <class M>
void expect_losses(const M& m, const std::vector<by_hand>& all) {
  for (const by_hand& h : all) {
    SCOPED_TRACE(std::string(model_name<M>()) + " of " + std::to_string(h.margin) + " and " + std::to_string(h.label));
    EXPECT_DOUBLE_EQ(m.loss(h.margin, h.label), h.loss);
    EXPECT_FLOAT_EQ(m.derivative(h.margin, h.label), h.derivative);
  }
}

TEST(margin_losses, are_by_hand) {
  expect_losses(
      squared_hinge{},
      {{-1.0f, 1.0f, 4.0, -4.0f}, {0.5f, 1.0f, 0.25, -1.0f}, {0.5f, -1.0f, 2.25, 3.0f}, {1.5f, 1.0f, 0.0, 0.0f}});
  // Square near the margin and straight far away.
  expect_losses(
      modified_huber{},
      {{2.0f, 1.0f, 0.0, 0.0f}, {0.5f, 1.0f, 0.25, -1.0f}, {-1.0f, 1.0f, 4.0, -4.0f}, {3.0f, -1.0f, 12.0, 4.0f}});
  expect_losses(quantile{.q = 0.75f}, {{1.0f, 5.0f, 3.0, -0.75f}, {5.0f, 1.0f, 1.0, 0.25f}, {2.0f, 2.0f, 0.0, 0.0f}});
  expect_losses(epsilon_insensitive{.epsilon = 0.5f}, {{1.0f, 5.0f, 3.5, -1.0f},
                                                       {5.0f, 1.0f, 3.5, 1.0f},
                                                       {2.0f, 2.5f, 0.0, 0.0f},
                                                       {2.0f, 2.25f, 0.0, 0.0f},
                                                       {2.0f, 1.75f, 0.0, 0.0f}});
  expect_losses(
      squared_epsilon_insensitive{.epsilon = 0.5f},
      {{1.0f, 5.0f, 12.25, -7.0f}, {5.0f, 1.0f, 12.25, 7.0f}, {2.0f, 2.25f, 0.0, 0.0f}, {2.0f, 2.5f, 0.0, 0.0f}});
  expect_losses(poisson{}, {{0.0f, 3.0f, 1.0, -2.0f}, {2.0f, 3.0f, std::exp(2.0) - 6.0, std::exp(2.0f) - 3.0f}});
}

TEST(margin_losses, of_counts_go_on_as_a_tangent_where_they_would_overflow) {
  const poisson m;
  const float at = poisson::most;
  EXPECT_FLOAT_EQ(m.prediction(2.0f), std::exp(2.0f));
  // The least loss of a count is at its logarithm.
  EXPECT_NEAR(m.derivative(std::log(7.0f), 7.0f), 0.0f, 1e-5f);
  EXPECT_NEAR(m.loss(at + 1.0f, 0.0f) / m.loss(at, 0.0f), 2.0, 1e-6);
  EXPECT_EQ(m.derivative(at + 100.0f, 0.0f), m.derivative(at, 0.0f));
  EXPECT_EQ(m.prediction(1e30f), m.prediction(at));
  EXPECT_TRUE(std::isfinite(m.prediction(at)));
}

TEST(margin_losses, of_counts_take_counts_alone) {
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

TEST(margin_losses, have_a_number_in_its_range) {
  EXPECT_EQ(std::get<quantile>(make_model("quantile")).q, 0.5f);
  EXPECT_EQ(std::get<quantile>(make_model("quantile", {}, {{"quantile", "0.9"}})).q, 0.9f);
  EXPECT_EQ(std::get<epsilon_insensitive>(make_model("epsilon_insensitive")).epsilon, 0.1f);
  EXPECT_EQ(std::get<epsilon_insensitive>(make_model("epsilon_insensitive", {}, {{"epsilon", "0"}})).epsilon, 0.0f);
  const named_model squared = make_model("squared_epsilon_insensitive", {}, {{"epsilon", "0.25"}});
  EXPECT_EQ(std::get<squared_epsilon_insensitive>(squared).epsilon, 0.25f);
  for (const char* const wrong : {"0", "1", "-0.5", "1.5", "half"})
    EXPECT_THROW(make_model("quantile", {}, {{"quantile", wrong}}), config_error) << wrong;
  for (const char* const wrong : {"-0.5", "1e60", "half"})
    EXPECT_THROW(make_model("epsilon_insensitive", {}, {{"epsilon", wrong}}), config_error) << wrong;
}

/// Saves the model as text and as bytes, and reads both back.
saved_model saved(const named_model& m, const std::vector<float>& parameters, const label_map& labels,
                  const std::vector<std::uint32_t>& original) {
  const saved_model made = to_saved(m, parameters, labels, original);
  for (const model_format as : {model_format::text, model_format::binary})
    EXPECT_EQ(parse_model(model_bytes(made, as), "m"), made);
  return made;
}

TEST(margin_losses, of_numbers_are_saved_with_their_own) {
  const test::owned_row z{{0}, {2.0f}, 10.0f};
  for (const auto& [m, loss, wrong_number] : {std::tuple<named_model, double, double>{quantile{.q = 0.25f}, 1.0, 1.0},
                                              {epsilon_insensitive{.epsilon = 0.25f}, 3.75, -1.0},
                                              {squared_epsilon_insensitive{.epsilon = 0.25f}, 3.75 * 3.75, -1.0}}) {
    const saved_model made = saved(m, {3.0f}, label_map(), {1});
    const predictor p(made);
    EXPECT_EQ(p.label(z), 6.0);
    EXPECT_DOUBLE_EQ(p.loss(z), loss);
    saved_model wrong = made;
    wrong.model_options.front().second = wrong_number;
    EXPECT_THROW(predictor{wrong}, input_error);
    wrong.model_options.clear();
    EXPECT_THROW(predictor{wrong}, input_error);
  }
}

TEST(margin_losses, of_counts_predict_the_count_that_they_expect) {
  const predictor p(saved(poisson{}, {0.5f, 1.0f}, label_map(), {3}));
  const test::owned_row z{{0}, {2.0f}, 5.0f};
  EXPECT_NEAR(p.label(z), std::exp(2.0), 1e-5);
  EXPECT_NEAR(p.loss(z), std::exp(2.0) - 10.0, 1e-6);
  EXPECT_FALSE(p.has_probabilities());
}

TEST(margin_losses, of_two_labels_predict_by_their_sign) {
  const label_map labels(label_kind::binary, {3.0, 7.0});
  const predictor hinge(saved(squared_hinge{}, {2.0f, -1.0f, 0.25f}, labels, {8, 4}));
  EXPECT_EQ(hinge.label(test::owned_row{{1}, {1.0f}}), 7.0);
  EXPECT_EQ(hinge.label(test::owned_row{{0}, {1.0f}}), 3.0);
  EXPECT_DOUBLE_EQ(hinge.loss(test::owned_row{{0}, {1.0f}, -1.0f}), 0.0625);
  EXPECT_FALSE(hinge.has_probabilities());
  const predictor huber(saved(modified_huber{}, {2.0f, -0.5f}, labels, {8, 4}));
  ASSERT_TRUE(huber.has_probabilities());
  EXPECT_THAT(huber.probabilities(test::owned_row{{1}, {1.0f}}), ElementsAre(1.0));
  EXPECT_THAT(huber.probabilities(test::owned_row{{0}, {1.0f}}), ElementsAre(0.25));
  EXPECT_THAT(huber.probabilities(test::owned_row{{0}, {9.0f}}), ElementsAre(0.0));
  EXPECT_EQ(huber.label(test::owned_row{{1}, {1.0f}}), 7.0);
}

}  // namespace
}  // namespace hogwild
