// SPDX-License-Identifier: Apache-2.0
// Steps against numbers worked out by hand.
#include <hogwild/detail/loop/general_step.hpp>
#include <hogwild/detail/loop/step.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/softmax.hpp>

using namespace hogwild;

namespace {

using sharing_type = direct_sharing<float, update::lossy>;
constexpr auto ignore = [](std::size_t, float) {};

struct step_by_hand : testing::Test {
  param_store store = param_store::in_memory({.parameters = 6, .state_arrays = 1});
  std::span<float> w = store.parameters<float>();
  sharing_type sharing{store, 0};
  loop_options options{};
  label_map labels{};
  std::vector<std::uint32_t> degree{2, 2, 4, 4, 1};

  step_context context() const { return {labels, degree, 10, options}; }

  std::vector<std::uint32_t> index{0, 2};
  std::vector<float> value{2.0f, -1.0f};
  sparse_row<float> row(float label, float weight = 1.0f, float offset = 0.0f) const {
    return {index, value, label, {}, weight, offset};
  }
};

TEST_F(step_by_hand, sgd_subtracts_step_times_slope_times_value) {
  // w = (1, ., 3): margin 2 - 3 = -1, label 1, slope -2; with step 0.25: w0 += 1, w2 -= 0.5.
  w[0] = 1.0f, w[2] = 3.0f, w[5] = 9.0f;
  const step_context c = context();
  margin_sgd_step<sharing_type> step(sharing, margin_loss(least_squares{}), c);
  step.begin({.step = 0.25}, 0.0);
  EXPECT_TRUE(step.train(step.reader(), row(1.0f), ignore));
  EXPECT_EQ(w[0], 2.0f);
  EXPECT_EQ(w[2], 2.5f);
  EXPECT_EQ(w[1], 0.0f);
  EXPECT_EQ(w[5], 9.0f);  // no bias was asked for
}

TEST_F(step_by_hand, sgd_moves_the_bias_weighs_rows_and_offsets_their_margins) {
  // margin 2 - 3 + 4 + 2 = 5 and label 3: slope 2, weighed 3 times 6; with step 0.125: w0 -= 1.5, w2 += 0.75, b -=
  // 0.75.
  w[0] = 1.0f, w[2] = 3.0f, w[5] = 4.0f;
  options.bias = 1;
  const step_context c = context();
  margin_sgd_step<sharing_type> step(sharing, margin_loss(least_squares{}), c);
  step.begin({.step = 0.125}, 0.0);
  step.train(step.reader(), row(3.0f, 3.0f, 2.0f), ignore);
  EXPECT_EQ(w[0], -0.5f);
  EXPECT_EQ(w[2], 3.75f);
  EXPECT_EQ(w[5], 3.25f);
  // A row without a weight and an offset of its own: margin -1 - 3.75 + 3.25 = -1.5, label -1, slope -0.5: b += 0.0625.
  step.train(step.reader(), row(-1.0f), ignore);
  EXPECT_EQ(w[5], 3.3125f);
}

TEST_F(step_by_hand, sgd_with_l2_shrinks_all_weights_through_the_scale_and_never_the_bias) {
  // w = a v with a = 0.5, so v = (2, ., 6): margin 2 - 3 + 4 = 3, label 2, slope 1. Shrunk by 0.5 to a = 0.25, and
  // less 0.25 * (2, -1): w = (0.5 - 0.5, 1.5 + 0.25), so v = (0, 7). The bias falls by 0.25.
  w[0] = 2.0f, w[1] = 8.0f, w[2] = 6.0f, w[5] = 4.0f;
  options.bias = 1;
  const step_context c = context();
  margin_sgd_step<sharing_type> step(sharing, margin_loss(least_squares{}), c);
  step.begin({.step = 0.25, .l2 = {.scale = 1.0, .position = 7.0, .shrink = 0.5}}, 8.0);
  step.train(step.reader(), row(2.0f), ignore);
  EXPECT_FLOAT_EQ(w[0], 0.0f);
  EXPECT_FLOAT_EQ(w[2], 7.0f);
  EXPECT_EQ(w[1], 8.0f);  // shrunk all the same, as a * v
  EXPECT_EQ(w[5], 3.75f);
  // The next row of the chunk finds a = 0.25: margin 0 - 1.75 + 3.75 = 2 is right already, so nothing is written.
  EXPECT_FALSE(step.train(step.reader(), row(2.0f), ignore));
  EXPECT_EQ(w[2], 7.0f);
}

TEST_F(step_by_hand, l2_in_a_second_pass_shrinks_what_the_first_has_changed) {
  // Margin -1, label 1, slope -2: w0 += 0.5 * 2 * 2, w2 -= 0.5 * 2 * 1, the bias += 0.5 * 2 * 1. Then, with l2 * n = 1,
  // w0 *= 1 - 0.5 * 1 / 2 and w2 *= 1 - 0.5 * 1 / 4.
  w[0] = 1.0f, w[2] = 3.0f;
  options.l2 = 0.1, options.bias = 1;
  const step_context c = context();
  margin_two_pass_step<sharing_type> step(sharing, margin_loss(least_squares{}), c);
  step.begin({.step = 0.5}, 0.0);
  EXPECT_TRUE(step.train(step.reader(), row(1.0f), ignore));
  EXPECT_FLOAT_EQ(w[0], 2.25f);
  EXPECT_FLOAT_EQ(w[2], 1.75f);
  EXPECT_FLOAT_EQ(w[5], 1.0f);

  // Margin 2 * 2.25 - 1.75 + 1 = 3.75 is right already: the row shrinks what it touches all the same.
  EXPECT_TRUE(step.train(step.reader(), row(3.75f), ignore));
  EXPECT_FLOAT_EQ(w[0], 1.6875f);
  EXPECT_FLOAT_EQ(w[2], 1.53125f);
  EXPECT_FLOAT_EQ(w[5], 1.0f);
}

TEST_F(step_by_hand, adagrad_divides_by_the_root_of_its_sums) {
  // margin -1, label 1, slope -2: g = (-4, 2). s = (16 + 9, 4 + 0): w0 += 0.5 * 4 / 5, w2 -= 0.5 * 2 / 2.
  w[0] = 1.0f, w[2] = 3.0f;
  store.state<float>(0)[0] = 9.0f;
  const step_context c = context();
  margin_adagrad_step<sharing_type> step(sharing, margin_loss(least_squares{}), c);
  step.begin({.step = 0.5}, 0.0);
  EXPECT_TRUE(step.train(step.reader(), row(1.0f), ignore));
  EXPECT_FLOAT_EQ(w[0], 1.4f);
  EXPECT_FLOAT_EQ(w[2], 2.5f);
  EXPECT_EQ(store.state<float>(0)[0], 25.0f);
  EXPECT_EQ(store.state<float>(0)[2], 4.0f);
}

TEST_F(step_by_hand, adagrad_regularises_touched_columns_on_rows_without_loss_too) {
  // l2 * n = 2, shared by degree: column 0 gets 1, column 2 a half. Label = margin: g = (0 + 1 * 1, 0 + 0.5 * 3).
  w[0] = 1.0f, w[2] = 3.0f, w[5] = 0.0f;
  options.l2 = 0.2, options.bias = 1;
  const step_context c = context();
  margin_adagrad_step<sharing_type> step(sharing, margin_loss(least_squares{}), c);
  step.begin({.step = 0.5}, 0.0);
  step.train(step.reader(), row(-1.0f), ignore);
  EXPECT_FLOAT_EQ(w[0], 0.5f);
  EXPECT_FLOAT_EQ(w[2], 2.5f);
  EXPECT_FLOAT_EQ(store.state<float>(0)[2], 2.25f);
  EXPECT_EQ(w[5], 0.0f);
}

TEST_F(step_by_hand, softmax_divides_touched_weights_by_one_plus_their_fraction_of_l2) {
  // Two classes, equal scores, class 0: partials (-1/2, 1/2) x. Column 0: x = 2, w = (1, 1) -/+ 0.5 -> (1.5, 0.5), then
  // divided by 1 + 0.5 * 2 / 2 = 1.5. Column 2: x = -1, w = (3, 3) -> (2.75, 3.25), divided by 1 + 0.5 * 2 / 4 = 1.25.
  w[0] = w[1] = 1.0f, w[4] = w[5] = 3.0f, w[2] = w[3] = 7.0f;
  options.l2 = 0.2;
  const softmax model{.features = 3, .classes = 2};
  const step_context c = context();
  general_step<softmax, sharing_type, sgd<sharing_type::view_type>> step(sharing, model, c);
  step.begin({.step = 0.5}, 0.0);
  EXPECT_TRUE(step.train(step.reader(), row(0.0f), ignore));
  EXPECT_FLOAT_EQ(w[0], 1.0f);
  EXPECT_FLOAT_EQ(w[1], 1.0f / 3.0f);
  EXPECT_FLOAT_EQ(w[4], 2.2f);
  EXPECT_FLOAT_EQ(w[5], 2.6f);
  EXPECT_EQ(w[2], 7.0f);
  EXPECT_EQ(w[3], 7.0f);
}

TEST_F(step_by_hand, l2_joins_each_partial_of_a_general_model_once_under_adagrad) {
  // Like above: partials (-1, 1) of column 0 and (1/2, -1/2) of column 2, which l2 joins with 1 and 3 / 2.
  w[0] = w[1] = 1.0f, w[4] = w[5] = 3.0f, w[2] = w[3] = 7.0f;
  options.l2 = 0.2, options.optimizer = optimizer_kind::adagrad;
  store.state<float>(0)[1] = 12.0f;
  const softmax model{.features = 3, .classes = 2};
  const step_context c = context();
  general_step<softmax, sharing_type, block_optimizer<sharing_type::view_type>> step(sharing, model, c);
  step.begin({.step = 0.5}, 0.0);
  EXPECT_TRUE(step.train(step.reader(), row(0.0f), ignore));
  EXPECT_FLOAT_EQ(w[0], 1.0f);                 // -1 + 1
  EXPECT_FLOAT_EQ(w[1], 1.0f - 0.5f * 2 / 4);  // a root of 12 + 4
  EXPECT_FLOAT_EQ(w[4], 2.5f);
  EXPECT_FLOAT_EQ(w[5], 2.5f);
  EXPECT_EQ(w[2], 7.0f);
  const std::vector<float> sums{0, 16, 0, 0, 4, 1};
  EXPECT_TRUE(std::ranges::equal(store.state<float>(0).first(6), sums));
}

/// Emits only a row's first column: in a run of two, or twice one by one.
template <bool Runs>
struct first_column {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::array<parameter_group, 1> groups() const { return {{{.rows = 3, .width = 2}}}; }
  std::size_t dim() const { return 6; }
  double loss(const auto&, const example_type&) const { return 0.0; }
  void gradient(const auto&, const example_type& z, const auto& emit) const {
    constexpr std::array<float, 2> partials{4.0f, 2.0f};
    const std::size_t j = std::size_t{z.index[0]} * 2;
    if constexpr (Runs)
      emit.block(j, std::span<const float>(partials));
    else
      emit(j, 3.0f), emit(j, 1.0f);
  }
};

TEST_F(step_by_hand, l2_comes_by_itself_where_a_row_emits_nothing) {
  options.l2 = 0.2, options.optimizer = optimizer_kind::momentum;
  options.constants.momentum = 0.5;
  const step_context c = context();
  // A fraction 1 of column 0 becomes 1 / (1 + 0.5 * 2) = 1/2, the half of column 2 is 1 / (2 + 1) = 1/3: all in all,
  // that is over 1 / (1 - momentum) = 2 steps, they are divided by 2 and 3/2.
  const auto trained = [&]<bool Runs>() {
    w[0] = w[1] = 2.0f, w[2] = w[3] = 7.0f, w[4] = w[5] = 3.0f;
    std::ranges::fill(store.state<float>(0), 0.0f);
    const first_column<Runs> model;
    general_step<first_column<Runs>, sharing_type, block_optimizer<sharing_type::view_type>> step(sharing, model, c);
    step.begin({.step = 0.5}, 0.0);
    EXPECT_TRUE(step.train(step.reader(), row(0.0f), ignore));
    EXPECT_FLOAT_EQ(w[4], 2.5f);
    EXPECT_FLOAT_EQ(w[5], 2.5f);
    EXPECT_EQ(w[2], 7.0f);
    EXPECT_FLOAT_EQ(store.state<float>(0)[4], 1.0f);
    EXPECT_EQ(store.state<float>(0)[2], 0.0f);
  };
  trained.operator()<true>();
  EXPECT_FLOAT_EQ(w[0], 2.0f - 0.5f * (4 + 1));
  EXPECT_FLOAT_EQ(w[1], 2.0f - 0.5f * (2 + 1));
  trained.operator()<false>();
  EXPECT_FLOAT_EQ(w[0], 2.0f - 0.5f * ((3 + 1) + (0.5f * (3 + 1) + 1)));
  EXPECT_FLOAT_EQ(w[1], 2.0f - 0.5f * 1);
}

TEST_F(step_by_hand, labels_are_what_the_model_trains_on) {
  labels = label_map(label_kind::binary, {3.0, 8.0});
  const std::vector<std::uint64_t> row_start{0, 2, 2};
  const std::vector<double> label{8.0, 3.0};
  const sparse_view data{.row_start = row_start, .index = index, .value = value, .label = label, .columns = 5};
  row_cursor cursor(data);
  EXPECT_EQ(labelled_row(cursor, 0, labels).label, 1.0f);
  EXPECT_EQ(labelled_row(cursor, 1, labels).label, -1.0f);
  EXPECT_EQ(labelled_row(cursor, 1, labels).size(), 0u);
}

}  // namespace
