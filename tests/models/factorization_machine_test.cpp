// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/ffm.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/registry.hpp>

#include "support/owned_row.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using partials = std::map<std::size_t, float>;  ///< those that are not 0

struct collector {
  partials& out;
  void operator()(std::size_t j, float g) const {
    if (g != 0.0f) out[j] += g;
  }
  void block(std::size_t offset, std::span<const float> g) const {
    for (std::size_t i = 0; i < g.size(); ++i) (*this)(offset + i, g[i]);
  }
};
param_reader<float> reader(std::vector<float>& w) {
  return {w.data(), w.size()};
}
void expect_near(const partials& found, const partials& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [j, g] : expected) {
    ASSERT_TRUE(found.contains(j)) << j;
    EXPECT_NEAR(found.at(j), g, 1e-5f * std::abs(g)) << j;
  }
}

TEST(factorization_machine, its_score_and_partials_are_those_of_the_formula) {
  const factorization_machine m{.features = 3, .factors = 2, .labels = label_kind::real};
  ASSERT_EQ(m.width(), 4u);
  ASSERT_EQ(m.dim(), 16u);
  std::vector<float> w(16);
  w[0] = 1.0f, w[1] = 2.0f;   // of column 0
  w[4] = 0.5f, w[5] = -1.0f;  // 1
  w[8] = 3.0f, w[9] = 1.0f;   // 2
  w[12] = 0.1f, w[13] = 0.2f, w[14] = 0.3f, w[15] = 0.5f;
  // 0.5 + 0.1 * 1 + 0.3 * 2 + (1 * 3 + 2 * 1) * 1 * 2
  const test::owned_row two{{0, 2}, {1.0f, 2.0f}, 10.2f};
  EXPECT_FLOAT_EQ(m.predict(reader(w), two), 11.2f);
  EXPECT_NEAR(m.loss(reader(w), two), 0.5, 1e-5);
  partials g;
  m.gradient(reader(w), two, collector{g});
  expect_near(g, {{15, 1}, {12, 1}, {14, 2}, {0, 6}, {1, 2}, {8, 2}, {9, 4}});
  // v0.v1 + v0.v2 + v1.v2 = -1.5 + 5 + 0.5
  EXPECT_FLOAT_EQ(m.predict(reader(w), test::owned_row{{0, 1, 2}, {1.0f, 1.0f, 1.0f}}), 0.5f + 0.6f + 4.0f);
  EXPECT_FLOAT_EQ(m.predict(reader(w), test::owned_row{{1}, {3.0f}}), 0.5f + 0.6f);
  EXPECT_FLOAT_EQ(m.predict(reader(w), test::owned_row{}), 0.5f);

  factorization_machine scaled = m;
  scaled.mean = 3.0f, scaled.scale = 0.5f;
  EXPECT_FLOAT_EQ(scaled.predict(reader(w), two), 3.0f + 0.5f * 11.2f);

  factorization_machine of_two = m;
  of_two.labels = label_kind::binary;
  EXPECT_NEAR(of_two.loss(reader(w), test::owned_row{{}, {}, -1.0f}), std::log1p(std::exp(0.5)), 1e-6);
}

TEST(factorization_machine, begins_with_small_factors_and_zeros) {
  const factorization_machine m{.features = 20, .factors = 10};
  std::vector<float> w(m.dim());
  m.init(param_view<float>(std::span(w)), counter_random(1, 2));
  for (std::size_t j = 0; j < w.size(); ++j) {
    const bool factor = j < 20 * 16 && j % 16 < 10;
    EXPECT_EQ(w[j] != 0.0f, factor) << j;
    EXPECT_LE(std::abs(w[j]), 0.1f / std::sqrt(10.0f));
  }
}

/// An ffm with its columns, and one example in its workspace.
struct with_fields {
  ffm m;
  std::vector<std::uint32_t> original;
  std::vector<float> w = std::vector<float>(m.dim());

  ffm::workspace space(const sparse_row<float>& z) const {
    sparse_view data;
    data.columns = original.size(), data.original = original;
    ffm::workspace s = m.make_workspace(data, isa::scalar, 1);
    m.take(s, 0, z, counter_random(0, 0));
    return s;
  }
  row_score score(const sparse_row<float>& z) {
    ffm::workspace s = space(z);
    row_score scored_row;
    m.score(reader(w), s, 1, {&scored_row, 1});
    return scored_row;
  }
  partials gradient(const sparse_row<float>& z) {
    ffm::workspace s = space(z);
    partials g;
    m.gradient(reader(w), s, 1, collector{g});
    return g;
  }
};

TEST(ffm, its_score_and_partials_are_those_of_the_formula) {
  // Column 0 is of field 0, columns 1 and 2 are of field 1, column 3 of field 3; no column is of field 2.
  with_fields f{.m = {.features = 4, .fields = 4, .factors = 1, .labels = label_kind::real, .unit_rows = false},
                .original = {field_column(0, 9), field_column(1, 0), field_column(1, 5), field_column(3, 5)}};
  ASSERT_EQ(f.m.dim(), 69u) << "a factor is padded to four";
  const float factors[] = {2, 3, 100, 17, 5, 7, 100, 19, 11, 13, 100, 23, 29, 31, 100, 37};
  for (std::size_t k = 0; k < 16; ++k) f.w[4 * k] = factors[k];
  f.w[64] = 0.1f, f.w[65] = 0.2f, f.w[66] = 0.3f, f.w[67] = 0.4f, f.w[68] = 0.5f;
  // Pairs: 3 * 5, 3 * 11, and within field 1 7 * 13.
  test::owned_row three{{2, 0, 1}, {1.0f, 1.0f, 1.0f}, 139.1f};
  EXPECT_FLOAT_EQ(f.score(three).score, 140.1f);
  EXPECT_NEAR(f.score(three).loss, 0.5, 1e-4);
  const partials g = f.gradient(three);
  const float slope = g.at(68);
  EXPECT_NEAR(slope, 1.0f, 1e-4f);
  expect_near(g, {{68, slope},
                  {64, slope},
                  {65, slope},
                  {66, slope},
                  {4, slope * (5 + 11)},
                  {16, slope * 3},
                  {20, slope * 13},
                  {32, slope * 3},
                  {36, slope * 7}});
  // 17 * 29 * 2: columns 0 and 3.
  EXPECT_FLOAT_EQ(f.score(test::owned_row{{0, 3}, {1.0f, 2.0f}}).score, 0.5f + 0.1f + 0.8f + 986.0f);
  EXPECT_FLOAT_EQ(f.score(test::owned_row{{3}, {2.0f}}).score, 1.3f);
  EXPECT_FLOAT_EQ(f.score(test::owned_row{}).score, 0.5f);
  EXPECT_FLOAT_EQ(f.score(test::owned_row{{0, 1, 3}, {1.0f, 1.0f, 0.0f}}).score, 0.5f + 0.3f + 15.0f);
  f.m.unit_rows = true;
  three.value = {4.0f, 4.0f, 4.0f};
  EXPECT_FLOAT_EQ(f.score(three).score, 0.5f + 0.6f / std::sqrt(3.0f) + 139.0f / 3.0f);
  f.m.mean = 1.0f, f.m.scale = 2.0f;
  EXPECT_FLOAT_EQ(f.score(test::owned_row{}).score, 2.0f);
}

TEST(ffm, of_one_field_is_a_factorization_machine) {
  const test::toy_rows rows = test::planted_regression({.rows = 30, .columns = 12, .per_row = 5, .seed = 8});
  with_fields f{.m = {.features = 12, .fields = 1, .factors = 8, .labels = label_kind::real, .unit_rows = false},
                .original = std::vector<std::uint32_t>(12)};
  std::iota(f.original.begin(), f.original.end(), 1u);
  const factorization_machine m{.features = 12, .factors = 8, .labels = label_kind::real};
  ASSERT_EQ(f.m.dim(), m.dim());
  f.w = test::noise_vector(m.dim(), 4);
  const csr_rows data = rows.csr();
  row_cursor cursor(data.view());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const auto z = cursor.row(r);
    EXPECT_NEAR(f.score(z).score, m.predict(reader(f.w), z), 1e-5f);
    partials expected;
    m.gradient(reader(f.w), z, collector{expected});
    for (const auto& [j, g] : f.gradient(z)) EXPECT_NEAR(g, expected[j], 1e-5f) << j;
  }
}

TEST(ffm, needs_to_know_fields_that_it_has) {
  with_fields f{.m = {.features = 1, .fields = 2, .factors = 1}, .original = {field_column(2, 0)}};
  try {
    (void)f.space(test::owned_row{});
    FAIL();
  } catch (const config_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("the data have the field 2, but the ffm only 2 fields"));
  }
  f.original = {0};
  EXPECT_THROW((void)f.space(test::owned_row{}), config_error);
  sparse_view unnumbered;
  unnumbered.columns = 1;
  EXPECT_THROW((void)f.m.make_workspace(unnumbered, isa::scalar, 1), config_error);
}

TEST(saved_machines, predict_as_the_model_did) {
  const std::vector<std::uint32_t> original = {field_column(1, 4), field_column(0, 7), field_column(2, 0)};
  const label_map of_two(label_kind::binary, {0.0, 1.0});
  for (const label_kind labels : {label_kind::binary, label_kind::real}) {
    for (const char* const name : {"factorization_machine", "ffm"}) {
      const bool numbers = labels == label_kind::real;
      const float mean = numbers ? 2.5f : 0.0f, scale = numbers ? 0.25f : 1.0f;
      named_model m =
          factorization_machine{.features = 3, .factors = 3, .labels = labels, .mean = mean, .scale = scale};
      if (std::string(name) == "ffm")
        m = ffm{.features = 3, .fields = 3, .factors = 3, .labels = labels, .mean = mean, .scale = scale};
      std::vector<float> w = test::noise_vector(std::visit(
                                                    [](const auto& any) -> std::size_t {
                                                      if constexpr (requires { any.dim(); }) return any.dim();
                                                      return 0;
                                                    },
                                                    m),
                                                3);
      const test::owned_row z{{0, 1, 2}, {1.0f, -0.5f, 2.0f}};
      const test::owned_row in_order{{1, 0, 2}, {1.0f, -0.5f, 2.0f}};  // field 0, field 1, field 2
      float expected = 0.0f;
      if (const auto* fm = std::get_if<factorization_machine>(&m)) {
        for (std::size_t j = 3; j < 3 * 4; j += 4) w[j] = 0.0f;
        expected = fm->predict(reader(w), z);
      }
      if (const auto* fields = std::get_if<ffm>(&m)) {
        for (std::size_t j = 3; j < 3 * 3 * 4; j += 4) w[j] = 0.0f;
        expected = with_fields{.m = *fields, .original = original, .w = w}.score(z).score;
      }

      const label_map map = labels == label_kind::binary ? of_two : label_map();
      const saved_model saved = to_saved(m, w, map, original);
      EXPECT_THAT(saved.columns, ElementsAre(field_column(0, 7), field_column(1, 4), field_column(2, 0)));
      EXPECT_EQ(saved.width, std::string(name) == "ffm" ? 10u : 4u);
      EXPECT_EQ(saved.bias.size(), 1u);
      EXPECT_EQ(parse_model(model_bytes(saved, model_format::text), "m"), saved);
      EXPECT_EQ(parse_model(model_bytes(saved, model_format::binary), "m"), saved);
      const predictor p(saved);
      EXPECT_NEAR(p.score(in_order), expected, 1e-5f) << name;
      EXPECT_EQ(p.has_probabilities(), labels == label_kind::binary);
      if (labels == label_kind::binary) {
        EXPECT_EQ(p.label(in_order), expected > 0.0f ? 1.0 : 0.0);
        EXPECT_THAT(p.probabilities(in_order),
                    ElementsAre(testing::DoubleNear(1.0 / (1.0 + std::exp(-expected)), 1e-5)));
      } else {
        // The loss of numbers is in units of their scale, which is 1/4 here.
        EXPECT_NEAR(p.loss(test::owned_row{in_order.index, in_order.value, expected + 0.25f}), 0.5, 1e-4);
        EXPECT_THROW((void)p.probabilities(in_order), config_error);
      }

      EXPECT_THROW(to_saved(m, std::span(w).first(5), map, original), config_error);
      for (const auto& change : std::vector<std::function<void(saved_model&)>>{
               [](saved_model& s) { s.bias.clear(); }, [](saved_model& s) { s.model_options[0].second = 4.0; },
               [](saved_model& s) {
                 s.labels = label_map(label_kind::classes, {0.0, 1.0, 2.0});
               }}) {
        saved_model wrong = saved;
        change(wrong);
        EXPECT_THROW(predictor{wrong}, input_error) << name;
      }
    }
  }
  EXPECT_THROW(make_model("ffm", {}, {{"factors", "0"}}), config_error);
  EXPECT_THROW(make_model("factorization_machine", {}, {{"loss", "classes"}}), config_error);
}

TEST(machines, what_a_saved_one_says_of_itself_has_to_be_true) {
  struct damage {
    std::string option;
    double value;
    std::string said;
  };
  const damage of_any[] = {
      {"rank", 0.0, "the option 'rank' of the saved MODEL model is 0; it should be a whole number from 1 to 65536"},
      {"rank", 2.5, "the option 'rank' of the saved MODEL model is 2.5"},
      {"rank", 1e300, "the option 'rank' of the saved MODEL model is 1e+300"},
      {"mean", -1e39,
       "the option 'mean' of the saved MODEL model is -1e+39; it should be a number that fits single precision"},
      {"scale", 0.0, "the option 'scale' of the saved MODEL model is 0; it should be a number above 0"},
      {"scale", -2.0, "the option 'scale' of the saved MODEL model is -2"},
      {"scale", 1e39, "the option 'scale' of the saved MODEL model is 1e+39"},
      {"scale", 1e-50, "the option 'scale' of the saved MODEL model is 1e-50"},
  };
  const damage of_fields[] = {
      {"fields", 0.0, "the option 'fields' of the saved MODEL model is 0; it should be a whole number from 1 to 1023"},
      {"fields", 1024.0, "the option 'fields' of the saved MODEL model is 1024"},
      {"fields", 2.0, "column 8388609 of the saved ffm model belongs to none of its 2 fields"},
      {"unit_rows", 2.0, "the option 'unit_rows' of the saved MODEL model is 2; it should be 0 or 1"},
  };
  for (const std::string name : {"factorization_machine", "ffm"}) {
    named_model m =
        factorization_machine{.features = 2, .factors = 2, .labels = label_kind::real, .mean = 1.0f, .scale = 2.0f};
    if (name == "ffm")
      m = ffm{.features = 2, .fields = 3, .factors = 2, .labels = label_kind::real, .mean = 1.0f, .scale = 2.0f};
    const std::vector<std::uint32_t> columns = {field_column(0, 4), field_column(2, 0)};
    const std::size_t parameters = name == "ffm" ? ffm{.features = 2, .fields = 3, .factors = 2}.dim()
                                                 : factorization_machine{.features = 2, .factors = 2}.dim();
    const saved_model good = to_saved(m, std::vector<float>(parameters), label_map(), columns);
    EXPECT_NO_THROW(predictor{good});
    const auto refusal = [&](const saved_model& wrong) -> std::string {
      try {
        const predictor p(wrong);
      } catch (const input_error& e) {
        return e.what();
      }
      return "was taken";
    };
    const auto check = [&](const damage& d) {
      const auto in = [&](saved_model& s) {
        return std::ranges::find(s.model_options, d.option, &std::pair<std::string, double>::first);
      };
      saved_model wrong = good;
      in(wrong)->second = d.value;
      std::string said = d.said;
      if (said.find("MODEL") != std::string::npos) said.replace(said.find("MODEL"), 5, name);
      EXPECT_THAT(refusal(wrong), HasSubstr(said));
      wrong = good;
      wrong.model_options.erase(in(wrong));
      EXPECT_THAT(refusal(wrong),
                  HasSubstr("the option '" + d.option + "' of the saved " + name + " model is missing"));
    };
    for (const damage& d : of_any) check(d);
    if (name == "ffm")
      for (const damage& d : of_fields) check(d);
  }
}

}  // namespace
}  // namespace hogwild
