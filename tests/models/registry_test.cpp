// SPDX-License-Identifier: Apache-2.0
#include <hogwild/registry.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>

#include "support/owned_row.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(registry, every_name_makes_the_model_of_that_name) {
  for (const std::string_view name : model_names()) {
    if ((name == mlp::name || name == convnet::name || name == deepfm::name) && !has_layer_kernels())
      EXPECT_THROW(make_model(name), config_error);
    else
      EXPECT_EQ(name_of(make_model(name)), name);
  }
  EXPECT_EQ(labels_of(make_model("hinge_svm")), label_kind::binary);
  EXPECT_EQ(labels_of(make_model("huber")), label_kind::real);
  EXPECT_EQ(std::get<huber>(make_model("huber", {}, {{"huber-delta", "2.5"}})).delta, 2.5f);
}

TEST(registry, a_model_is_made_for_its_data) {
  test::toy_rows toy;
  toy.columns = 7;
  for (const float label : {5.0f, -1.0f, 9.0f, 5.0f}) toy.push({0, 3}, {1.0f, 1.0f}, label);
  const csr_rows rows = toy.csr();
  EXPECT_EQ(std::get<softmax>(make_model("softmax", {.rows = rows.view(), .bias = true})).dim(), 24u);
  const auto numbers = std::get<factorization_machine>(
      make_model("factorization_machine", {.rows = rows.view()}, {{"loss", "squared"}, {"factors", "5"}}));
  EXPECT_EQ(numbers.features, 7u);
  EXPECT_EQ(numbers.factors, 5u);
  EXPECT_EQ(numbers.labels, label_kind::real);
  EXPECT_EQ(numbers.mean, 4.5f);
  EXPECT_NEAR(numbers.scale, std::sqrt((0.25 + 30.25 + 20.25 + 0.25) / 4.0), 1e-5);
}

TEST(registry, every_model_describes_itself) {
  for (const model_descriptor* const known : known_models()) {
    EXPECT_EQ(find_model(known->name()), known);
    EXPECT_FALSE(known->facts().summary.empty()) << known->name();
    for (const model_option& o : known->facts().options) {
      EXPECT_FALSE(o.help.empty()) << o.name;
      EXPECT_EQ(o.is_flag(), o.otherwise.empty()) << o.name;
      EXPECT_EQ(o.fault(o.is_flag() ? "true" : o.otherwise), "") << o.name;
      EXPECT_NE(o.fault("no such value,"), "") << o.name;
    }
  }
  EXPECT_EQ(find_model("perceptron"), nullptr);
}

TEST(registry, other_names_and_choices_are_refused) {
  try {
    make_model("perceptron");
    FAIL();
  } catch (const config_error& e) {
    for (const std::string_view name : model_names()) EXPECT_THAT(e.what(), HasSubstr(std::string(name)));
  }
  const std::vector<std::pair<std::string, model_options>> wrong = {
      {"huber", {{"huber-delta", "0"}}},
      {"huber", {{"huber-delta", "nan"}}},
      {"huber", {{"huber-delta", "1e60"}}},
      {"huber", {{"huber-delta", "one"}}},
      {"logistic", {{"huber-delta", "1"}}},
      {"mlp", {{"hidden", "1,2,3,4,5"}}},
      {"mlp", {{"hidden", "0"}}},
      {"mlp", {{"hidden", "70000"}}},
      {"mlp", {{"hidden", ""}}},
      {"mlp", {{"dropout", "1"}}},
      {"mlp", {{"dropout", "-0.5"}}},
      {"convnet", {{"net", "lenet"}}},
      {"convnet", {{"net", "MNIST"}}},
      {"matrix_factorization", {{"factors", "70000"}}},
      {"ffm", {{"factors", "0"}}},
      {"deepfm", {{"hidden", "1,2,3,4,5"}}},
      {"deepfm", {{"hidden", "70000"}}},
      {"deepfm", {{"dropout", "1"}}},
      {"deepfm", {{"factors", "65537"}}},
      {"ffm", {{"unit-rows", "yes"}}},
      {"skip_gram", {{"window", "0"}}},
      {"cbow", {{"sample", "2"}}},
      {"transe", {{"dropout", "1"}}},
      {"transe", {{"n3", "0.1"}}},
      {"distmult", {{"n3", "-1"}}},
      {"distmult", {{"gamma", "1"}}},
      {"complex", {{"margin", "2"}}},
      {"complex", {{"negatives", "0"}}},
      {"rotate", {{"temperature", "2"}}},
      {"rotate", {{"gamma", "6"}}},
      {"text_classifier", {{"dimension", "65537"}}},
      {"text_classifier", {{"class-loss", "hinge"}}},
      {"node_vectors", {{"length", "1"}}},
      {"node_vectors", {{"q", "0"}}},
      {"line", {{"proximity", "third"}}},
      {"line", {{"dimension", "7"}}},
      {"line", {{"negative", "0"}}},
      {"paragraph_vectors", {{"window", "0"}}},
      {"paragraph_vectors", {{"dm", "true"}, {"train-words", "true"}}},
      {"paragraph_vectors", {{"subwords", "3-6"}}},
  };
  for (const auto& [name, options] : wrong) EXPECT_THROW(make_model(name, {}, options), config_error) << name;
  EXPECT_THROW(predictor(saved_model{.model = "softmax", .labels = label_map(label_kind::classes, {1.0, 2.0})}),
               config_error);
}

TEST(registry, a_saved_model_has_the_numbering_of_its_input) {
  const label_map labels(label_kind::binary, {1.0, 2.0});
  const std::vector<std::uint32_t> original = {30, 10, 20};
  const std::vector<float> parameters = {0.3f, 0.1f, 0.2f, 0.5f};
  const saved_model saved = to_saved(make_model("logistic"), parameters, labels, original);
  EXPECT_THAT(saved.columns, ElementsAre(10u, 20u, 30u));
  EXPECT_THAT(saved.weights, ElementsAre(0.1f, 0.2f, 0.3f));
  EXPECT_THAT(saved.bias, ElementsAre(0.5f));
  EXPECT_THROW(to_saved(make_model("logistic"), std::span(parameters).first(2), labels, original), config_error);
}

TEST(registry, every_saved_model_may_say_what_its_first_column_is_called) {
  const std::vector<std::uint32_t> original = {1, 2};
  const label_map two(label_kind::binary, {1.0, 2.0}), three(label_kind::classes, {0.0, 1.0, 2.0});
  std::vector<saved_model> all{
      to_saved(make_model("logistic"), std::vector<float>{2.0f, -1.0f}, two, original),
      to_saved(huber{.delta = 0.5f}, std::vector<float>{3.0f, 1.0f}, label_map(), original),
      to_saved(softmax{.features = 2, .classes = 3}, std::vector<float>{1, 2, 3, 4, 5, 6}, three, original),
      to_saved(softmax{.features = 2, .classes = 3, .one_vs_rest = true}, std::vector<float>{1, 2, 3, 4, 5, 6}, three,
               original),
      to_saved(make_model("logistic"), answer_kind::vote, 2, std::vector<float>{2, -1, 3, 4}, two, original)};
  for (saved_model& saved : all) {
    SCOPED_TRACE(saved.model);
    EXPECT_EQ(detail::said_first_column(saved), 0u);
    const test::owned_row z{{0, 1}, {1.0f, 0.5f}};
    const float expected = predictor(saved).score(z);
    detail::say_first_column(saved, 1);
    EXPECT_EQ(detail::said_first_column(saved), 1u);
    EXPECT_EQ(detail::said_scaling(saved), column_scaling::none);
    detail::say_scaling(saved, column_scaling::standard);
    EXPECT_EQ(detail::said_scaling(saved), column_scaling::standard);
    EXPECT_EQ(predictor(saved).score(z), expected);
  }
  all[0].model_options = {{"first_column", 2.0}};
  EXPECT_THROW(detail::said_first_column(all[0]), input_error);
  all[0].model_options = {{"columns.scale", 1.0}};  // no run has auto
  EXPECT_THROW(detail::said_scaling(all[0]), input_error);
}

TEST(registry, a_margin_model_predicts_by_its_sign) {
  const label_map labels(label_kind::binary, {1.0, 2.0});
  const std::vector<std::uint32_t> original = {8, 4};
  const predictor p(to_saved(make_model("logistic"), std::vector<float>{2.0f, -1.0f, 0.25f}, labels, original));
  // Position 0 is column 4 now, with weight -1.
  EXPECT_FLOAT_EQ(p.score(test::owned_row{{0, 1}, {1.0f, 0.5f}}), -1.0f + 1.0f + 0.25f);
  EXPECT_EQ(p.label(test::owned_row{{1}, {1.0f}}), 2.0);
  EXPECT_EQ(p.label(test::owned_row{{0}, {1.0f}}), 1.0);
  EXPECT_NEAR(p.probabilities(test::owned_row{{1}, {1.0f}}).front(), 1.0 / (1.0 + std::exp(-2.25)), 1e-7);
  EXPECT_NEAR(p.loss(test::owned_row{{1}, {1.0f}, 1.0f}), std::log1p(std::exp(-2.25)), 1e-7);
}

TEST(registry, a_calibrated_model_predicts_by_its_probability) {
  saved_model saved = to_saved(make_model("hinge_svm"), std::vector<float>{1.0f},
                               label_map(label_kind::binary, {1.0, 2.0}), std::vector<std::uint32_t>{8});
  EXPECT_FALSE(predictor(saved).has_probabilities());
  saved.calibrated = {.kind = calibration_kind::platt, .slope = -2.0, .intercept = 3.0};
  const predictor sigmoid(saved);
  const test::owned_row below{{0}, {1.0f}}, at{{0}, {1.5f}};
  EXPECT_NEAR(sigmoid.probabilities(below).front(), 1.0 / (1.0 + std::exp(1.0)), 1e-12);
  EXPECT_EQ(sigmoid.score(below), 1.0f) << "the margin stays";
  EXPECT_EQ(sigmoid.label(below), 1.0);
  EXPECT_EQ(sigmoid.probabilities(at).front(), 0.5);
  EXPECT_EQ(sigmoid.label(at), 2.0) << "a half is enough";
  saved.calibrated = {.kind = calibration_kind::isotonic, .margins = {-1, 1}, .probabilities = {0.1, 0.4}};
  EXPECT_EQ(predictor(saved).label(test::owned_row{{0}, {9.0f}}), 1.0) << "a label that is never probable";
}

TEST(registry, a_regression_predicts_the_number_and_has_no_probabilities) {
  const predictor p(
      to_saved(huber{.delta = 0.5f}, std::vector<float>{3.0f}, label_map(), std::vector<std::uint32_t>{1}));
  const test::owned_row z{{0}, {2.0f}, 4.0f};
  EXPECT_EQ(p.label(z), 6.0);
  EXPECT_NEAR(p.loss(z), 0.5 * (2.0 - 0.25), 1e-7);
  EXPECT_FALSE(p.has_probabilities());
  EXPECT_THROW(p.probabilities(z), config_error);
}

// Each of two columns adds nothing to 1, but both together do: labels and probabilities must add up in the same order.
TEST(registry, softmax_says_the_same_of_near_ties_as_label_and_as_probabilities) {
  const label_map labels(label_kind::classes, {0.0, 1.0});
  const std::vector<float> parameters = {0.0f, 4e-8f, /**/ 0.0f, 4e-8f, /* biases */ 1.0f, 1.0f};
  const named_model m = softmax{.features = 2, .classes = 2, .bias = true};
  const predictor p(to_saved(m, parameters, labels, std::vector<std::uint32_t>{1, 2}));
  const test::owned_row z{{0, 1}, {1.0f, 1.0f}};
  const std::vector<double> probable = p.probabilities(z);
  EXPECT_EQ(probable[0], probable[1]);
  EXPECT_EQ(p.label(z), 0.0);
}

TEST(registry, softmax_predicts_the_most_probable_class) {
  const label_map labels(label_kind::classes, {-1.0, 5.0, 9.0});
  const std::vector<float> parameters = {0.0f, 1.0f, 0.0f, /**/ 0.0f, 0.0f, 3.0f, /* biases */ 0.5f, 0.0f, 0.0f};
  const named_model m = softmax{.features = 2, .classes = 3, .bias = true};
  const predictor p(to_saved(m, parameters, labels, std::vector<std::uint32_t>{7, 3}));
  EXPECT_EQ(p.label(test::owned_row{}), -1.0);
  EXPECT_EQ(p.label(test::owned_row{{0}, {1.0f}}), 9.0);
  EXPECT_EQ(p.label(test::owned_row{{1}, {1.0f}}), 5.0);
  const auto probabilities = p.probabilities(test::owned_row{{1}, {1.0f}});
  const double sum = std::exp(0.5) + std::exp(1.0) + 1.0;
  ASSERT_EQ(probabilities.size(), 3u);
  EXPECT_NEAR(probabilities[0], std::exp(0.5) / sum, 1e-7);
  EXPECT_NEAR(probabilities[1], std::exp(1.0) / sum, 1e-7);
  EXPECT_NEAR(p.loss(test::owned_row{{1}, {1.0f}, 1.0f}), -std::log(probabilities[1]), 1e-6);
}

TEST(registry, a_saved_model_that_does_not_fit_is_refused) {
  const label_map labels(label_kind::binary, {0.0, 1.0});
  const saved_model good =
      to_saved(make_model("logistic"), std::vector<float>{1.0f}, labels, std::vector<std::uint32_t>{1});
  saved_model wrong = good;
  wrong.labels = label_map();
  EXPECT_THROW(predictor{wrong}, input_error);
  wrong = good;
  wrong.weights.push_back(1.0f);
  EXPECT_THROW(predictor{wrong}, input_error);
  wrong = good;
  wrong.bias = {1.0f, 2.0f};
  EXPECT_THROW(predictor{wrong}, input_error);
  wrong = good;
  wrong.model = "perceptron";
  EXPECT_THROW(predictor{wrong}, config_error);
}

}  // namespace
}  // namespace hogwild
