// SPDX-License-Identifier: Apache-2.0
// The combined answers of several models on a row, by hand.
#include <hogwild/detail/models/several_margins.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>

namespace hogwild {
namespace {

/// Three models of one column: margins of a row of value 1.
struct several_margins_of_a_row : testing::Test {
  template <class M>
  static detail::several_margins<M> of(const M& m, answer_kind by, const std::vector<float>& parameters) {
    return {m, by, parameters.size(), 1, parameters};
  }
  std::vector<std::uint32_t> index{0};
  std::vector<float> value{1.0f};
  sparse_row<float> row(float label) const { return {.index = index, .value = value, .label = label}; }
};

TEST_F(several_margins_of_a_row, are_by_hand) {
  const std::vector<float> margins{3.0f, -0.1f, -0.2f};
  const auto vote = of(logistic{}, answer_kind::vote, margins).said(row(1.0f));
  EXPECT_FLOAT_EQ(vote.score, -1.0f / 3.0f);
  const double mean_loss = (std::log1p(std::exp(-3.0)) + std::log1p(std::exp(0.1)) + std::log1p(std::exp(0.2))) / 3.0;
  EXPECT_NEAR(vote.loss, mean_loss, 1e-6);
  const auto p = [](double m) { return 1.0 / (1.0 + std::exp(-m)); };
  const double mean = (p(3) + p(-0.1) + p(-0.2)) / 3;
  EXPECT_NEAR(of(logistic{}, answer_kind::mean, margins).said(row(1.0f)).score, std::log(mean / (1.0 - mean)), 1e-5);
  EXPECT_NEAR(of(hinge_svm{}, answer_kind::mean, margins).said(row(1.0f)).score, 0.9, 1e-6);
  EXPECT_NEAR(of(least_squares{}, answer_kind::mean, margins).said(row(0.0f)).score, 0.9, 1e-6);
  const std::vector<float> even{3.0f, -0.1f};
  EXPECT_GT(of(hinge_svm{}, answer_kind::vote, even).said(row(1.0f)).score, 0.0f);
  const std::vector<float> other{0.1f, -3.0f};
  EXPECT_LT(of(hinge_svm{}, answer_kind::vote, other).said(row(1.0f)).score, 0.0f);
  const auto classes = of(hinge_svm{}, answer_kind::one_vs_rest, margins).said(row(1.0f));
  EXPECT_EQ(classes.score, 0.0f);
  EXPECT_NEAR(classes.loss, 4.0 + 1.1 + 0.8, 1e-6);
}

TEST_F(several_margins_of_a_row, tell_rows_apart_that_are_all_but_sure) {
  const auto score = [&](std::vector<float> margins) {
    return of(logistic{}, answer_kind::mean, margins).said(row(1.0f)).score;
  };
  EXPECT_LT(score({18.0f, 19.0f}), score({20.0f, 30.0f}));
  EXPECT_LT(score({20.0f, 30.0f}), score({60.0f, 61.0f}));
  EXPECT_LT(score({60.0f, 61.0f}), score({62.0f, 63.0f}));
}

TEST_F(several_margins_of_a_row, of_margins_that_are_not_finite_are_no_numbers) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> margins{3.0f, inf};
  for (const answer_kind by : {answer_kind::one_vs_rest, answer_kind::vote, answer_kind::mean})
    EXPECT_TRUE(std::isnan(of(logistic{}, by, margins).said(row(1.0f)).score)) << name_of(by);
}

}  // namespace
}  // namespace hogwild
