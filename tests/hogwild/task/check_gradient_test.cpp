// SPDX-License-Identifier: Apache-2.0
// Gradients that are wrong are found, with the place; right ones of the library's models are not.
#include <hogwild/check_gradient.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/models.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;
using ::testing::HasSubstr;

namespace {

enum class slip { none, sign, factor, forgotten, twice, beside, infinite, kink };

struct margin_slips {
  static constexpr label_kind labels = label_kind::real;
  slip made = slip::none;
  double loss(float margin, float label) const { return std::abs(static_cast<double>(margin - label)); }
  float derivative(float margin, float label) const {
    const float slope = margin > label ? 1.0f : -1.0f;
    return made == slip::sign ? -slope : made == slip::factor ? 1.05f * slope : slope;
  }
};

/// A slope for each column, and a constant term.
struct line_slips {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t features = 0;
  slip made = slip::none;
  std::size_t dim() const { return features + 1; }
  std::array<parameter_group, 2> groups() const {
    return {{{.name = "slopes", .rows = features},
             {.name = "constant", .offset = features, .rows = 1, .hot_first = false}}};
  }
  float residue(const auto& w, const example_type& z) const { return dot(w, z) + w[features] - z.label; }
  double loss(const auto& w, const example_type& z) const {
    return 0.5 * std::pow(static_cast<double>(residue(w, z)), 2.0);
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float r = residue(w, z);
    for (auto [j, x] : z) emit(j, made == slip::factor && j == 7 ? 1.1f * r * x : r * x);
    if (made == slip::twice) emit(z.index[0], r);
    if (made == slip::beside) emit(dim(), r);
    if (made == slip::forgotten) return;
    emit(features, made == slip::sign ? -r : made == slip::infinite ? HUGE_VALF : r);
  }
};

/// Pairs of one drawn column and a row's own: the row's score should be above that of the drawn one.
struct drawn_pairs {
  using scalar_type = double;
  using example_type = sparse_row<float>;
  std::size_t features = 0;
  slip made = slip::none;
  std::size_t dim() const { return features; }
  std::size_t drawn(const counter_random& random) const { return random.below(made == slip::kink ? 1 : 0, features); }
  double loss(const auto& w, const example_type& z, const counter_random& random) const {
    return std::log1p(std::exp(w[random.below(0, features)] - w[z.index[0]]));
  }
  void gradient(const auto& w, const example_type& z, const counter_random& random, const auto& emit) const {
    const std::size_t other = drawn(random);
    if (other == z.index[0]) return;
    const double slope = 1.0 / (1.0 + std::exp(w[z.index[0]] - w[other]));
    emit(z.index[0], -slope);
    emit(other, slope);
  }
};
static_assert(conforms<margin_slips>() && conforms<line_slips>() && conforms<drawn_pairs>());

const test::toy_rows& numbers() {
  static const test::toy_rows rows = test::planted_regression({.rows = 100, .columns = 20, .per_row = 5});
  return rows;
}
std::string said(const auto& m) {
  const auto fault = check_gradient(m, numbers().csr());
  return fault ? fault->sentence : "";
}

TEST(check_gradient, finds_slips_of_a_margin_model) {
  EXPECT_EQ(said(margin_slips{}), "");  // any slope holds at the kink
  EXPECT_THAT(said(margin_slips{slip::sign}), HasSubstr("row 0: the derivative at the margin "));
  EXPECT_THAT(said(margin_slips{slip::sign}), HasSubstr(" a unit of the margin"));
  EXPECT_THAT(said(margin_slips{slip::factor}), HasSubstr("is -1.05, but the loss rises by -1 a unit"));
}

TEST(check_gradient, names_the_parameter_that_a_general_model_gets_wrong) {
  EXPECT_EQ(said(line_slips{20}), "");
  EXPECT_THAT(said(line_slips{20, slip::sign}),
              HasSubstr("for parameter 20 (row 0 of the group 'constant'), but the "));
  EXPECT_THAT(said(line_slips{20, slip::factor}), HasSubstr("for parameter 7 (row 7 of the group 'slopes')"));
  EXPECT_THAT(said(line_slips{20, slip::forgotten}), HasSubstr("emits 0 for parameter 20 (row 0 of the group"));
  EXPECT_THAT(said(line_slips{20, slip::twice}), HasSubstr(" twice"));
  EXPECT_THAT(said(line_slips{20, slip::infinite}), HasSubstr("parameter 20 with a partial that is not finite"));
  EXPECT_THROW(said(line_slips{20, slip::beside}), config_error);
  const auto fault = check_gradient(line_slips{20, slip::factor}, numbers().csr());
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->coordinate, 7u);
  EXPECT_NEAR(fault->emitted / fault->expected, 1.1, 0.01);
}

TEST(check_gradient, draws_for_loss_and_gradient_alike) {
  EXPECT_EQ(said(drawn_pairs{20}), "");
  EXPECT_THAT(said(drawn_pairs{20, slip::kink}), HasSubstr("for parameter "));
}

TEST(check_gradient, looks_where_it_is_told) {
  std::vector<float> w(21, 0.25f);
  EXPECT_FALSE(check_gradient(line_slips{20}, numbers().csr(), {.parameters = w}));
  EXPECT_THROW(check_gradient(line_slips{19}, numbers().csr(), {.parameters = w}), config_error);
  // With few coordinates a row, the last one is not checked.
  EXPECT_FALSE(check_gradient(line_slips{20, slip::sign}, numbers().csr(), {.coordinates = 3}));
}

TEST(check_gradient, finds_nothing_in_margin_models_of_the_library) {
  const test::toy_rows signs = test::planted_classification({.rows = 60, .columns = 20, .per_row = 5});
  test::toy_rows counts = numbers();
  for (float& label : counts.label) label = std::abs(std::round(label));
  with_named_models([&]<class... M>() {
    const auto check = [&]<class Tried>(std::type_identity<Tried>) {
      if constexpr (margin_model<Tried>) {
        const bool two = labels_of(Tried{}) == label_kind::binary;
        const auto fault = check_gradient(Tried{}, (two ? signs : counts).csr());
        EXPECT_FALSE(fault) << model_name<Tried>() << ": " << fault->sentence;
      }
    };
    (check(std::type_identity<M>{}), ...);
  });
}

// score() of a workspace has losses without weights, and gradient() has them.
TEST(check_gradient, finds_nothing_in_a_workspace_on_rows_with_weights) {
  test::toy_rows toy = test::planted_classification({.rows = 30, .columns = 12, .per_row = 4});
  const std::vector<float> weights = test::numbers_in_turn(30, {3.0f, 0.0f, 0.5f});
  std::vector<std::uint32_t> original;
  for (std::uint32_t j = 0; j < 12; ++j) original.push_back(field_column(j / 3, j));
  csr_rows rows = toy.csr();
  rows.set_weights(weights);
  sparse_view view = rows.view();
  view.original = original;
  EXPECT_FALSE(check_gradient(ffm{.features = 12, .fields = 4, .factors = 2, .unit_rows = false}, view));
}

}  // namespace
