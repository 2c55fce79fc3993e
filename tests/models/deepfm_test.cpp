// SPDX-License-Identifier: Apache-2.0
// A deepfm against its formula, and as a saved model. That its gradient is that of its loss is a law of all models.
#include <hogwild/models/deepfm.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/registry.hpp>

#include "support/owned_row.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;

/// A deepfm with the fields of its columns.
struct deep {
  deepfm m;
  std::vector<std::uint32_t> original;
  std::vector<float> w = test::noise_vector(m.dim(), 5, -1.0, 1.0);

  deepfm::workspace space(const std::vector<test::owned_row>& rows) const {
    sparse_view data;
    data.columns = original.size(), data.original = original;
    deepfm::workspace s = m.make_workspace(data, isa::automatic, rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) m.take(s, k, rows[k], counter_random(0, k));
    return s;
  }
  param_reader<float> parameters() { return {w.data(), w.size()}; }
  std::vector<row_score> scores(const std::vector<test::owned_row>& rows) {
    deepfm::workspace s = space(rows);
    std::vector<row_score> all(rows.size());
    m.score(parameters(), s, rows.size(), all);
    return all;
  }
  struct partials {
    std::map<std::size_t, float>& to;
    void block(std::size_t offset, std::span<const float> g) const {
      for (std::size_t i = 0; i < g.size(); ++i) EXPECT_TRUE(to.emplace(offset + i, g[i]).second) << offset + i;
    }
  };
  std::map<std::size_t, float> gradient(const std::vector<test::owned_row>& rows) {
    deepfm::workspace s = space(rows);
    std::map<std::size_t, float> g;
    m.gradient(parameters(), s, rows.size(), partials{g});
    return g;
  }
  /// The score by the formula of the header, in double.
  double expected(const test::owned_row& z) const {
    const std::size_t d = m.features, k = m.factors;
    std::vector<double> layer(m.inputs());
    double s = w[d * (k + 1)];
    for (std::size_t a = 0; a < z.index.size(); ++a) {
      const std::size_t j = z.index[a];
      s += static_cast<double>(w[d * k + j] * z.value[a]);
      for (std::size_t i = 0; i < k; ++i)
        layer[field_of(original[j]) * k + i] += static_cast<double>(z.value[a]) * w[j * k + i];
      for (std::size_t b = 0; b < a; ++b)
        for (std::size_t i = 0; i < k; ++i)
          s += static_cast<double>(w[j * k + i]) * w[z.index[b] * k + i] * z.value[a] * z.value[b];
    }
    std::size_t at = d * (k + 1) + 1;
    std::vector<std::size_t> widths;
    for (const std::uint32_t width : m.hidden)
      if (width > 0) widths.push_back(width);
    widths.push_back(1);
    for (std::size_t l = 0; l < widths.size(); ++l) {
      std::vector<double> next(widths[l]);
      for (std::size_t o = 0; o < next.size(); ++o) {
        next[o] = w[at + layer.size() * next.size() + o];
        for (std::size_t i = 0; i < layer.size(); ++i) next[o] += layer[i] * w[at + i * next.size() + o];
        if (l + 1 < widths.size()) next[o] = std::max(next[o], 0.0);
      }
      at += (layer.size() + 1) * next.size();
      layer = next;
    }
    return static_cast<double>(m.mean) + static_cast<double>(m.scale) * (s + layer[0]);
  }
};

class deepfm_of_rows : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_layer_kernels()) GTEST_SKIP() << "this build has no layers";
  }
};

TEST_F(deepfm_of_rows, score_and_partials_are_those_of_a_row_worked_out_by_hand) {
  // Two columns of fields 0 and 2; no column is of field 1. One factor, and one hidden value.
  deep f{.m = {.features = 2, .fields = 3, .factors = 1, .labels = label_kind::real, .hidden = {1}},
         .original = {field_column(0, 4), field_column(2, 7)}};
  // v, w, w0, then the hidden layer's three weights and its bias, and the last layer's.
  f.w = {2, 3, 0.1f, 0.2f, 0.5f, 5, 100, 7, -1, 0.25f, 0.125f};
  ASSERT_EQ(f.m.dim(), f.w.size());
  // x = (1, 2): linear 0.5 + 0.1 + 0.4, the pair 2 * 3 * 2, e = (2, 0, 6), hidden 5 * 2 + 7 * 6 - 1 = 51.
  const float score = 1.0f + 12.0f + 0.25f * 51.0f + 0.125f;
  test::owned_row row{{0, 1}, {1.0f, 2.0f}, score - 1.0f};
  EXPECT_FLOAT_EQ(f.scores({row})[0].score, score);
  EXPECT_NEAR(f.scores({row})[0].loss, 0.5, 1e-5);
  const std::map<std::size_t, float> of_slope_one = {{0, 6 + 0.25f * 5},        // S - x v = 6, and through the net
                                                     {1, 2 * (2 + 0.25f * 7)},  //
                                                     {2, 1},
                                                     {3, 2},
                                                     {4, 1},
                                                     {5, 0.25f * 2},
                                                     {6, 0},
                                                     {7, 0.25f * 6},
                                                     {8, 0.25f},
                                                     {9, 51},
                                                     {10, 1}};
  const auto g = f.gradient({row});
  ASSERT_EQ(g.size(), of_slope_one.size());
  for (const auto& [j, expected] : of_slope_one) EXPECT_NEAR(g.at(j), expected, 1e-3f) << j;
  // The hidden value is 5 * -2 - 1, below zero, and relu makes it 0.
  EXPECT_FLOAT_EQ(f.scores({test::owned_row{{0}, {-1.0f}}})[0].score, 0.5f - 0.1f + 0.125f);
  EXPECT_FLOAT_EQ(f.scores({test::owned_row{}})[0].score, 0.625f);
  f.m.mean = 1.0f, f.m.scale = 2.0f;
  EXPECT_FLOAT_EQ(f.scores({test::owned_row{}})[0].score, 2.25f);
}

TEST_F(deepfm_of_rows, batches_are_scored_by_the_formula_whatever_their_rows_have) {
  for (const std::size_t factors : {1u, 3u, 8u}) {
    for (const std::array<std::uint32_t, 4>& hidden :
         {std::array<std::uint32_t, 4>{}, std::array<std::uint32_t, 4>{7}, std::array<std::uint32_t, 4>{5, 4, 3, 2}}) {
      deep f{.m = {.features = 6,
                   .fields = 4,
                   .factors = factors,
                   .labels = label_kind::real,
                   .mean = -2.0f,
                   .scale = 3.0f,
                   .hidden = hidden},
             .original = {field_column(3, 0), field_column(0, 0), field_column(0, 1), field_column(1, 9),
                          field_column(0, 7), field_column(1, 2)}};
      // None, one, all columns, several of a field, zeros, other values; more rows than lanes.
      std::vector<test::owned_row> rows = {{},
                                           {{3}, {2.0f}},
                                           {{0, 1, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 1}},
                                           {{1, 2, 4}, {0.5f, -0.25f, 3.0f}},
                                           {{0, 5}, {0.0f, 1.0f}}};
      for (std::uint32_t k = 0; k < 66; ++k) rows.push_back({{k % 6}, {0.1f * static_cast<float>(k)}});
      const auto scores = f.scores(rows);
      for (std::size_t k = 0; k < rows.size(); ++k)
        EXPECT_NEAR(scores[k].score, f.expected(rows[k]), 1e-5 * (10.0 + std::abs(f.expected(rows[k])))) << k;
    }
  }
}

TEST_F(deepfm_of_rows, a_batch_has_the_mean_of_its_rows_gradients) {
  deep f{.m = {.features = 4, .fields = 3, .factors = 2, .hidden = {5}},
         .original = {field_column(0, 0), field_column(1, 0), field_column(2, 0), field_column(2, 1)}};
  const std::vector<test::owned_row> rows = {{{0, 1, 2}, {1, 1, 1}, 1.0f}, {{0, 3}, {1, 2}, -1.0f}, {{}, {}, 1.0f}};
  std::vector<double> mean(f.m.dim());
  for (const auto& row : rows)
    for (const auto& [j, g] : f.gradient({row})) mean[j] += static_cast<double>(g) / 3.0;
  const auto together = f.gradient(rows);
  ASSERT_EQ(together.size(), f.m.dim()) << "every column occurs";
  for (const auto& [j, g] : together) EXPECT_NEAR(g, mean[j], 1e-6) << j;
}

TEST_F(deepfm_of_rows, without_what_its_net_says_it_is_a_factorization_machine) {
  deep f{.m = {.features = 3, .fields = 3, .factors = 4, .labels = label_kind::real},
         .original = {field_column(0, 0), field_column(1, 0), field_column(2, 0)}};
  const factorization_machine fm{.features = 3, .factors = 4, .labels = label_kind::real};
  std::fill(f.w.end() - 33, f.w.end(), 0.0f);  // the last layer of 32 weights and a bias
  std::vector<float> w(f.w.begin(), f.w.begin() + static_cast<std::ptrdiff_t>(fm.dim()));
  const test::owned_row z{{0, 1, 2}, {1.0f, -0.5f, 2.0f}};
  EXPECT_NEAR(f.scores({z})[0].score, fm.predict(param_reader<float>{w.data(), w.size()}, z), 1e-5f);
}

std::string complaint(const auto& call) {
  try {
    call();
  } catch (const config_error& e) {
    return e.what();
  } catch (const input_error& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST_F(deepfm_of_rows, needs_fields_that_it_has_and_a_net_of_some_size) {
  deep f{.m = {.features = 1, .fields = 2, .factors = 1}, .original = {field_column(2, 0)}};
  EXPECT_THAT(complaint([&] { (void)f.space({{}}); }), HasSubstr("have the field 2, but the deepfm only 2 fields"));
  f.original = {0};
  EXPECT_THAT(complaint([&] { (void)f.space({{}}); }), HasSubstr("the model deepfm reads libffm text"));
  f.original = {field_column(1, 0)};
  f.m.factors = 32'769;
  EXPECT_THAT(complaint([&] { (void)f.space({{}}); }), HasSubstr("at most 65536; 2 x 32769 are more"));
}

TEST_F(deepfm_of_rows, saved_it_predicts_as_it_did) {
  const label_map of_two(label_kind::binary, {0.0, 1.0});
  for (const label_kind labels : {label_kind::binary, label_kind::real}) {
    const bool numbers = labels == label_kind::real;
    deep f{.m = {.features = 3,
                 .fields = 3,
                 .factors = 3,
                 .labels = labels,
                 .mean = numbers ? 2.5f : 0.0f,
                 .scale = numbers ? 0.25f : 1.0f,
                 .hidden = {5, 2}},
           .original = {field_column(1, 4), field_column(0, 7), field_column(2, 0)}};
    const float expected = f.scores({{{0, 1, 2}, {1.0f, -0.5f, 2.0f}}})[0].score;
    const test::owned_row in_order{{1, 0, 2}, {1.0f, -0.5f, 2.0f}};  // field 0, field 1, field 2
    const saved_model saved = to_saved(f.m, f.w, numbers ? label_map() : of_two, f.original);
    EXPECT_EQ(saved.width, 4u);
    EXPECT_EQ(saved.bias.size(), 1 + f.m.net().parameters());
    EXPECT_EQ(parse_model(model_bytes(saved, model_format::text), "m"), saved);
    EXPECT_EQ(parse_model(model_bytes(saved, model_format::binary), "m"), saved);
    const predictor p(saved);
    EXPECT_EQ(p.score(in_order), expected);
    EXPECT_EQ(p.has_probabilities(), !numbers);
    if (!numbers) {
      EXPECT_NEAR(p.probabilities(in_order)[0], 1.0 / (1.0 + std::exp(-static_cast<double>(expected))), 1e-6);
    }

    EXPECT_THROW(to_saved(f.m, std::span(f.w).first(9), of_two, f.original), config_error);
    const std::pair<const char*, double> wrong[] = {{"rank", 4}, {"fields", 4}, {"hidden1", 6}, {"hidden2", 0}};
    for (const auto& [option, value] : wrong) {
      saved_model other = saved;
      const auto found = std::ranges::find(other.model_options, option, &std::pair<std::string, double>::first);
      ASSERT_NE(found, other.model_options.end()) << option;
      found->second = value;
      EXPECT_THROW(predictor{other}, input_error) << option;
    }
    saved_model less = saved;
    less.bias.pop_back();
    EXPECT_THROW(predictor{less}, input_error);
    saved_model large = saved;
    large.model_options[0].second = 65'536;
    EXPECT_THAT(complaint([&] { predictor{large}; }), HasSubstr("more than 65536 inputs"));
  }
}

}  // namespace
}  // namespace hogwild
