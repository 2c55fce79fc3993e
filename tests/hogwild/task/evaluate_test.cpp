// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/evaluate.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <hogwild/detail/task/vector_passes.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "support/planned_task.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

std::unique_ptr<thread_team> threads(std::size_t n, thread_team_kind kind = thread_team_kind::std) {
  return thread_team::make(kind, n, false);
}

template <class M>
test::planned_task task_on(const M& m, const sparse_view& data, const loop_options& options = {}) {
  return make_task(m, data, label_map::learn(labels_of(M{}), data.label, "toy"), options);
}

template <class M>
void expect_the_same_for_any_number_of_threads(const M& m, const test::toy_rows& toy) {
  const csr_rows data = toy.csr();
  const auto work = task_on(m, data.view());
  const param_store store = param_store::in_memory(work.shape(1));
  const auto w = test::noise_vector(work->facts().parameters, 5);
  work->assign(store, w);
  const auto one = work->evaluate(store, 0.75, data.view(), *threads(1), true);
  const double norm = work->squared_norm(store, 0.75, *threads(1));
  EXPECT_TRUE(std::isfinite(one.loss) && one.loss > 0.0);
  EXPECT_TRUE(one.accuracy || one.rmse);
  for (const std::size_t n : {2u, 3u, 7u}) {
    for (const thread_team_kind kind : {thread_team_kind::std, thread_team_kind::openmp, thread_team_kind::tbb}) {
      const auto many = work->evaluate(store, 0.75, data.view(), *threads(n, kind), true);
      EXPECT_EQ(many.loss, one.loss);
      EXPECT_EQ(many.accuracy, one.accuracy);
      EXPECT_EQ(many.auc, one.auc);
      EXPECT_EQ(many.f1, one.f1);
      EXPECT_EQ(many.rmse, one.rmse);
      EXPECT_EQ(work->squared_norm(store, 0.75, *threads(n, kind)), norm);
    }
  }
}

TEST(evaluate, scores_of_all_classes_take_little_memory) {
  EXPECT_EQ(examples_of_scores(256, 1000), 256u);
  EXPECT_EQ(examples_of_scores(64, 100'000), 64u);
  EXPECT_EQ(examples_of_scores(256, 100'000), 167u);
  EXPECT_EQ(examples_of_scores(256, std::size_t{1} << 20), 16u);
  EXPECT_EQ(examples_of_scores(1, 3), 1u);
  EXPECT_EQ(examples_of_scores(256, std::size_t{1} << 30), 1u);
}

constexpr test::toy_shape large{.rows = 60'000, .columns = 50, .per_row = 5};

TEST(evaluate, does_not_depend_on_the_number_of_threads) {
  expect_the_same_for_any_number_of_threads(logistic{}, test::planted_classification(large));
  expect_the_same_for_any_number_of_threads(least_squares{}, test::planted_regression(large));
  expect_the_same_for_any_number_of_threads(softmax{.features = 50, .classes = 3}, test::planted_classes(large, 3));
}

TEST(evaluate, of_many_parameters_sums_squares_the_same_for_any_number_of_threads) {
  // More than four blocks of 64 Ki, so that the threads take part.
  const std::size_t n = 400'000;
  auto values = test::noise_vector(n, 9);
  double expected = 0.0;
  for (const float x : values) expected += static_cast<double>(x) * static_cast<double>(x);
  const double one = sum_of_squares(std::span(values), *threads(1));
  EXPECT_NEAR(one, expected, 1e-9 * expected);
  EXPECT_EQ(sum_of_squares(std::span(values), *threads(3)), one);
  multiply_all(std::span(values), 2.0f, *threads(3));
  EXPECT_EQ(sum_of_squares(std::span(values), *threads(3)), 4.0 * one);
}

/// Two columns; margins are 1, -1, 0.5 and 3 under the weights (1, 2).
struct by_hand : testing::Test {
  test::toy_rows toy;
  by_hand() {
    toy.columns = 2;
    toy.push({0}, {1.0f}, 1.0f);
    toy.push({0, 1}, {1.0f, -1.0f}, 1.0f);
    toy.push({1}, {0.25f}, 0.0f);
    toy.push({0, 1}, {1.0f, 1.0f}, 0.0f);
  }
  template <class M>
  measurement measure(const M& m, const loop_options& options = {}, bool all = true,
                      const std::vector<float>& weights = {}, const std::vector<float>& offsets = {}) {
    csr_rows data = toy.csr();
    if (!weights.empty()) data.set_weights(weights);
    if (!offsets.empty()) data.set_offsets(offsets);
    const auto work = task_on(m, data.view(), options);
    const param_store store = param_store::in_memory(work.shape(1));
    work->assign(store, std::vector<float>{2.0f, 4.0f});
    EXPECT_DOUBLE_EQ(work->squared_norm(store, 0.5, *threads(1)), 5.0);
    EXPECT_EQ(work->parameters_of(store, 0.5), (std::vector<float>{1.0f, 2.0f}));
    return work->evaluate(store, 0.5, data.view(), *threads(2), all);
  }
};

TEST_F(by_hand, hinge_loss_and_what_is_measured_of_two_classes) {
  const auto m = measure(hinge_svm{});
  EXPECT_DOUBLE_EQ(m.loss, (0.0 + 2.0 + 1.5 + 4.0) / 4.0);
  EXPECT_DOUBLE_EQ(m.accuracy.value(), 0.25);
  EXPECT_DOUBLE_EQ(m.f1.value(), 2.0 / (2.0 + 2.0 + 1.0));
  EXPECT_DOUBLE_EQ(m.matthews.value(), -1.0 / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(m.auc.value(), 1.0 / 4.0);  // of four pairs only (1, 0.5) is in order
  EXPECT_FALSE(m.rmse);
}

TEST_F(by_hand, rows_are_weighed) {
  const auto m = measure(hinge_svm{}, {}, true, {1.5f, 1.5f, 0.5f, 0.5f});
  EXPECT_DOUBLE_EQ(m.loss, (0.0 + 3.0 + 0.75 + 2.0) / 4.0);
  EXPECT_DOUBLE_EQ(m.accuracy.value(), 1.5 / 4.0);
  EXPECT_DOUBLE_EQ(m.f1.value(), 3.0 / (3.0 + 1.5 + 1.0));
  EXPECT_DOUBLE_EQ(m.auc.value(), 1.5 * 0.5 / (3.0 * 1.0));
}

TEST_F(by_hand, offsets_are_added_to_margins) {
  const auto m = measure(hinge_svm{}, {}, true, {}, {0.0f, 3.0f, -2.0f, -3.0f});  // margins 1, 2, -1.5 and 0
  EXPECT_DOUBLE_EQ(m.loss, (0.0 + 0.0 + 0.0 + 1.0) / 4.0);
  EXPECT_DOUBLE_EQ(m.accuracy.value(), 0.75);
}

TEST_F(by_hand, squares_and_what_is_measured_of_numbers) {
  const auto m = measure(least_squares{});
  EXPECT_DOUBLE_EQ(m.loss, (0.0 + 4.0 + 0.25 + 9.0) / 8.0);
  EXPECT_DOUBLE_EQ(m.rmse.value(), std::sqrt(13.25 / 4.0));
  EXPECT_FALSE(m.accuracy || m.auc || m.f1);
}

TEST_F(by_hand, the_loss_alone_where_no_more_is_asked_for) {
  const auto m = measure(hinge_svm{}, {}, false);
  EXPECT_DOUBLE_EQ(m.loss, 7.5 / 4.0);
  EXPECT_FALSE(m.accuracy || m.auc || m.f1 || m.rmse);
}

TEST_F(by_hand, folding_multiplies_the_scale_in) {
  const csr_rows data = toy.csr();
  const auto work = task_on(least_squares{}, data.view(), {.bias = 1});
  const param_store store = param_store::in_memory(work.shape(1));
  work->assign(store, std::vector<float>{2.0f, 4.0f, 8.0f});
  const auto before = work->evaluate(store, 0.5, data.view(), *threads(1), true);
  work->fold(store, 0.5, *threads(1));
  EXPECT_EQ(work->parameters_of(store, 1.0), (std::vector<float>{1.0f, 2.0f, 8.0f}));  // the bias is not scaled
  EXPECT_EQ(work->evaluate(store, 1.0, data.view(), *threads(1), true).loss, before.loss);
}

TEST(evaluate, adds_measures_of_probabilities_for_labels_that_have_them) {
  forecasts f(2);
  f.set(0, std::vector<double>{0.75}, 1);
  f.set(1, std::vector<double>{0.5}, -1);
  for (const label_kind kind : {label_kind::binary, label_kind::classes}) {
    measurement m;
    measure_forecasts(kind, f, {}, m);
    EXPECT_EQ(m.brier_score, (0.0625 + 0.25) / 2);
    EXPECT_TRUE(m.log_loss && m.expected_calibration_error);
    EXPECT_FALSE(m.accuracy);
  }
  measurement m;
  measure_forecasts(label_kind::real, f, {}, m);
  EXPECT_FALSE(m.brier_score);
}

TEST(evaluate, takes_labels_that_are_decided_otherwise_than_by_the_margin) {
  const std::vector<float> scores{3, 2, 1, -1}, labels{1, 1, -1, -1}, decided{1, -1, -1, -1};
  measurement m = measure_scores(label_kind::binary, 0.5, scores, labels, {});
  const auto auc = m.auc;
  EXPECT_EQ(m.accuracy, 0.75);
  measure_decisions(decided, labels, std::vector<float>{1, 3, 1, 1}, m);
  EXPECT_EQ(m.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(*m.f1, 2.0 / 5.0);
  EXPECT_EQ(m.auc, auc);
}

TEST(evaluate, of_no_rows_is_zero) {
  const test::kept_rows data = test::planted_regression({.rows = 10});
  const auto work = task_on(least_squares{}, data.view());
  const param_store store = param_store::in_memory(work.shape(1));
  EXPECT_EQ(work->evaluate(store, 1.0, data.view().slice(3, 3), *threads(2), true).loss, 0.0);
}

}  // namespace
