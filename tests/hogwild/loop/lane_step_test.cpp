// SPDX-License-Identifier: Apache-2.0
// If workers crowd on few parameters, a row of models side by side waits for the adds before it, like a row of a single
// model.
#include <hogwild/detail/loop/lane_step.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

/// Records when rows settle adds, and when they add.
struct told_view : param_view<float> {
  std::string* told = nullptr;

  void settle_adds() const { *told += 's'; }
  float read_add(std::size_t j, float delta) const {
    if (told->empty() || told->back() != 'a') *told += 'a';
    return param_view<float>::read_add(j, delta);
  }
};

struct told_sharing {
  using view_type = told_view;
  std::vector<float>* values;
  std::string* told;

  view_type parameters() const { return {param_view<float>(std::span(*values)), told}; }
};

struct row_steps : testing::Test {
  static constexpr std::size_t lanes = 8;
  const logistic model{};
  const label_map labels = label_map::learn(label_kind::binary, std::vector<double>{-1.0, 1.0}, "here");
  std::string told{};

  /// The reports of ten rows of so many columns, with l2 or without.
  template <class Step>
  std::string of(Step& step, const sparse_view& rows, const round_plan& round, std::vector<float>& values) {
    told.clear();
    row_cursor cursor(rows);
    step.begin(round, 0.0);
    for (std::size_t r = 0; r < rows.rows(); ++r)
      step.train(param_view<float>(std::span(values)).reader(), step.example(cursor, r), [](std::size_t, float) {});
    return told;
  }
  void expect_as_alone(std::size_t columns, double l2, const std::string& expected) {
    const test::kept_rows data = test::planted_classification({.rows = 10, .columns = columns, .per_row = 5});
    const sparse_view rows = data.view();
    const loop_options options{.bias = 1, .l2 = l2};
    const step_context context{labels, {}, rows.rows(), options};
    const scaled_l2 shrink{.shrink = 1.0 - 0.1 * l2};

    std::vector<float> one(columns + 1), many(lanes * (columns + 1));
    margin_sgd_step<told_sharing> alone({&one, &told}, margin_loss(model), context);
    EXPECT_EQ(of(alone, rows, {.step = 0.1, .l2 = shrink}, one), expected) << columns << " columns, alone";

    lane_table table(lanes, 0);
    for (std::size_t k = 0; k < lanes; ++k)
      table.of[k] = {.trains = true, .step = 0.1, .l2 = k == 3 ? shrink : scaled_l2{}};
    lane_row_step<told_sharing> beside({&many, &told}, margin_loss(model), table, context, rows);
    EXPECT_EQ(of(beside, rows, {.step = 0.1}, many), expected) << columns << " columns, side by side";
  }
};

TEST_F(row_steps, settle_adds_of_the_row_before_where_weights_are_few_and_shrink) {
  std::string settling;
  for (int row = 0; row < 10; ++row) settling += "sa";
  expect_as_alone(50, 1e-3, settling);
  expect_as_alone(1023, 1e-3, settling);
  expect_as_alone(1024, 1e-3, "a");  // with the bias one more than few
  expect_as_alone(50, 0.0, "a");
}

}  // namespace
}  // namespace hogwild
