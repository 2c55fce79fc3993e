// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/matrix_factorization.hpp>

#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/model/kernel_models.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/models/recommend.hpp>
#include <hogwild/registry.hpp>

namespace hogwild {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct factors : testing::Test {
  factors() { m.init(param_view<float>(std::span(w)), counter_random(5, 6)); }

  float score(const std::vector<std::uint32_t>& columns) { return m.predict(reader(), row(columns, 0.0f)); }
  sparse_row<float> row(const std::vector<std::uint32_t>& columns, float label) {
    index = columns, value.assign(columns.size(), 1.0f);
    return {index, value, label};
  }
  param_reader<float> reader() { return {w.data(), w.size()}; }

  struct collector {
    std::map<std::size_t, double>& out;
    void operator()(std::size_t j, float g) const { out[j] += static_cast<double>(g); }
    void block(std::size_t offset, std::span<const float> g) const {
      for (std::size_t i = 0; i < g.size(); ++i) (*this)(offset + i, g[i]);
    }
  };

  matrix_factorization m{.users = 3, .items = 2, .factors = 3, .bias = true, .mean = 2.5f};
  std::vector<float> w = std::vector<float>(m.dim());
  std::vector<std::uint32_t> index;
  std::vector<float> value;
};

static_assert(conforms<matrix_factorization>() && factor_model<matrix_factorization> &&
              segment_storable<matrix_factorization>);

TEST_F(factors, score_is_the_formula) {
  // User 1, item 1: rows of 16; biases from 80 on, of users first.
  w[16] = 1.0f, w[17] = 2.0f, w[18] = -1.0f, w[4 * 16] = 0.5f, w[4 * 16 + 1] = 0.25f, w[4 * 16 + 2] = 1.0f;
  w[80 + 1] = 0.125f, w[83 + 1] = -0.5f;
  EXPECT_FLOAT_EQ(score({1, 4}), 2.5f + 0.125f - 0.5f + (0.5f + 0.5f - 1.0f));
  EXPECT_FLOAT_EQ(score({4, 1}), score({1, 4}));
  EXPECT_FLOAT_EQ(score({1}), 2.5f + 0.125f);
  EXPECT_FLOAT_EQ(score({4}), 2.5f - 0.5f);
  EXPECT_FLOAT_EQ(score({}), 2.5f);
  EXPECT_FLOAT_EQ(score({77}), 2.5f);
}

TEST_F(factors, gradient_is_the_derivative_of_the_loss) {
  // The loss is a polynomial of degree two in each parameter: the difference quotient is exact but for rounding, scores
  // below 4 to 2^-22 each and thus 2 * 4 * 2^-22 / 2h = 6e-5.
  constexpr float h = 0x1p-6f;
  for (std::size_t j = 0; j < w.size(); ++j)
    if (w[j] != 0.0f || j >= 80) w[j] = 0.3f * static_cast<float>(j % 5) - 0.5f;
  for (const std::vector<std::uint32_t>& columns : {std::vector<std::uint32_t>{0, 3}, {2, 4}, {1}, {3}, {}}) {
    std::map<std::size_t, double> found;
    m.gradient(reader(), row(columns, 4.0f), collector{found});
    for (std::size_t j = 0; j < m.dim(); ++j) {
      const float kept = w[j];
      w[j] = kept + h;
      const double up = m.loss(reader(), row(columns, 4.0f));
      w[j] = kept - h;
      const double down = m.loss(reader(), row(columns, 4.0f));
      w[j] = kept;
      EXPECT_NEAR(found[j], (up - down) / (2.0 * static_cast<double>(h)), 5e-4) << j;
    }
  }
}

TEST_F(factors, begin_small_with_zero_padding_and_biases) {
  for (std::size_t j = 0; j < 80; ++j) {
    if (j % 16 < m.factors)
      EXPECT_TRUE(w[j] != 0.0f && std::abs(w[j]) <= 0.05f / std::sqrt(3.0f)) << j;
    else
      EXPECT_EQ(w[j], 0.0f) << j;
  }
  for (std::size_t j = 80; j < w.size(); ++j) EXPECT_EQ(w[j], 0.0f);
}

struct saved_factors : factors {
  // Positions: users 7, 1, 9, then items 4, 2.
  std::vector<std::uint32_t> original{user_column(7), user_column(1), user_column(9), item_column(4), item_column(2)};
  saved_model saved() {
    for (std::size_t j = 0; j < w.size(); ++j)
      if (j >= 80 || j % 16 < m.factors) w[j] = 0.25f * static_cast<float>(j % 7) - 0.5f;
    return to_saved(m, w, label_map{}, original);
  }
};

TEST_F(saved_factors, predict_as_the_model_did) {
  const saved_model s = saved();
  EXPECT_THAT(s.columns, ElementsAre(user_column(1), item_column(2), item_column(4), user_column(7), user_column(9)));
  EXPECT_EQ(s.width, 4u);
  const saved_model read = parse_model(model_bytes(s, model_format::text), "m.txt");
  EXPECT_EQ(read, s);
  EXPECT_EQ(parse_model(model_bytes(s, model_format::binary), "m.bin"), s);
  const predictor said(read);
  const column_numbering columns(read.columns);
  for (const std::uint32_t user : {0u, 1u, 2u}) {
    for (const std::uint32_t item : {3u, 4u}) {
      const float expected = score({user, item});
      EXPECT_FLOAT_EQ(said.score(row({columns.position(original[user]), columns.position(original[item])}, 0.0f)),
                      expected);
    }
  }
  EXPECT_FLOAT_EQ(said.score(row({columns.position(original[3])}, 0.0f)), score({3}));
  EXPECT_NEAR(said.loss(row({columns.position(original[3])}, 1.0f)),
              0.5 * std::pow(static_cast<double>(score({3})) - 1.0, 2), 1e-5);
}

TEST_F(saved_factors, without_biases_too) {
  m.bias = false;
  w.resize(m.dim());
  const saved_model s = saved();
  EXPECT_EQ(s.width, 3u);
  const predictor said(s);
  EXPECT_FLOAT_EQ(said.score(row({3, 1}, 0.0f)), score({0, 4}));
}

TEST_F(saved_factors, of_the_wrong_size_are_refused) {
  EXPECT_THROW(to_saved(m, std::span(w).first(10), label_map{}, original), config_error);
  saved_model s = saved();
  s.model_options[0].second = 7.0;
  EXPECT_THROW(predictor{s}, input_error);
  s.model_options[0].second = 1e300;
  EXPECT_THROW(predictor{s}, input_error);
  s = saved();
  s.model_options[1].second = 1e39;  // the mean
  EXPECT_THROW(predictor{s}, input_error);
  s.model_options.pop_back();
  EXPECT_THROW(predictor{s}, input_error);
}

TEST_F(saved_factors, recommend_the_best_that_was_not_seen) {
  for (float& x : w) x = 0.0f;
  w[83] = 1.0f, w[84] = 2.0f;  // item 4 and item 2
  const saved_model s = to_saved(m, w, label_map{}, original);
  EXPECT_THAT(recommend(s, 7, 5), ElementsAre(recommendation{2, 4.5f}, recommendation{4, 3.5f}));
  EXPECT_THAT(recommend(s, 7, 1), ElementsAre(recommendation{2, 4.5f}));
  const std::vector<std::uint32_t> seen = {1, 2};
  EXPECT_THAT(recommend(s, 7, 5, seen), ElementsAre(recommendation{4, 3.5f}));
  EXPECT_TRUE(recommend(s, 7, 0).empty());
  try {
    recommend(s, 8, 1);
    FAIL();
  } catch (const input_error& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("does not know user 8"));
  }
  EXPECT_THROW(recommend(saved_model{.model = "logistic"}, 1, 1), input_error);
}

TEST_F(saved_factors, of_equal_scores_the_smaller_number_comes_first) {
  for (float& x : w) x = 0.0f;
  EXPECT_THAT(recommend(to_saved(m, w, label_map{}, original), 9, 2),
              ElementsAre(recommendation{2, 2.5f}, recommendation{4, 2.5f}));
}

}  // namespace
}  // namespace hogwild
