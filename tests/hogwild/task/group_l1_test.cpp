// SPDX-License-Identifier: Apache-2.0
// l1 of models that have several parameters a column: by rows of groups.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <gtest/gtest.h>

#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

/// Least squares as a general model: one parameter a column.
struct own_squares {
  static constexpr std::string_view name = "own_squares";
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t features;
  std::size_t dim() const { return features; }
  double loss(const auto& w, const example_type& z) const { return least_squares{}.loss(dot(w, z), z.label); }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float slope = dot(w, z) - z.label;
    for (auto [j, x] : z) emit(j, slope * x);
  }
};
static_assert(conforms<own_squares>());

train_options options(double l1) {
  train_options o{.epochs = 8, .step = {.initial = 0.05, .decay = 0.8}};
  o.l1 = l1, o.l2 = 0.01, o.optimizer = optimizer_kind::sgd;
  return o;
}

TEST(group_l1, of_one_parameter_a_column_is_that_of_linear_models) {
  const test::kept_rows data = test::planted_regression({.rows = 500, .columns = 40, .per_row = 6});
  const train_result own = train(own_squares{.features = 40}, data, serial_engine{}, options(0.02));
  const train_result margin = train(least_squares{}, data, serial_engine{}, options(0.02));
  for (std::size_t j = 0; j < 40; ++j) EXPECT_NEAR(own.parameters[j], margin.parameters[j], 1e-5) << j;
  EXPECT_GT(std::ranges::count(own.parameters, 0.0f), 0);
  EXPECT_EQ(std::ranges::count(own.parameters, 0.0f), std::ranges::count(margin.parameters, 0.0f));
  EXPECT_NEAR(own.objective, margin.objective, 1e-6);
}

TEST(group_l1, makes_all_of_a_column_zero_or_nothing) {
  const test::kept_rows data = test::planted_classes({.rows = 1000, .columns = 60, .per_row = 6}, 3);
  const softmax m{.features = 60, .classes = 3};
  std::size_t before = 0;
  for (const double l1 : {0.003, 0.006, 0.5}) {
    const train_result run = train(m, data, serial_engine{}, options(l1));
    std::size_t zeros = 0;
    double norms = 0.0, squares = 0.0;
    for (std::size_t j = 0; j < 60; ++j) {
      const auto row = std::span(run.parameters).subspan(j * 3, 3);
      const auto none = std::ranges::count(row, 0.0f);
      EXPECT_TRUE(none == 0 || none == 3) << j;
      zeros += none == 3 ? 1 : 0;
      double square = 0.0;
      for (const float w : row) square += static_cast<double>(w) * static_cast<double>(w);
      norms += std::sqrt(square), squares += square;
    }
    EXPECT_GE(zeros, std::max<std::size_t>(before, 1)) << l1;
    EXPECT_TRUE(zeros < 60 || l1 == 0.5) << l1;
    before = zeros;
    EXPECT_NEAR(run.objective, run.train_loss + l1 * norms + 0.005 * squares, 1e-6);
  }
  EXPECT_EQ(before, 60u);
}

TEST(group_l1, is_for_factors_too_wherever_workers_read_and_write) {
  const test::kept_rows data = test::planted_regression({.rows = 600, .columns = 50, .per_row = 5});
  const factorization_machine m{.features = 50, .factors = 4, .labels = label_kind::real};
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::buffered}) {
    train_options o = options(0.05);
    o.sharing = sharing;
    const train_result run = train(m, data, two, o);
    EXPECT_GT(std::ranges::count(run.parameters, 0.0f), 0);
    EXPECT_TRUE(std::isfinite(run.objective));
  }
}

}  // namespace
}  // namespace hogwild
