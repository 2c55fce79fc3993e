// SPDX-License-Identifier: Apache-2.0
// Linear bounds of a convex mean loss lie below it everywhere, touch it where they were made, and are the same for any
// number of threads and ranks.
#include <hogwild/detail/task/loss_bound.hpp>

#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/models.hpp>
#include <hogwild/train.hpp>

#include "support/ranks.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t columns = 8, rows = 2'500;  // three chunks, two parts of a sum
// Margins and derivatives are rounded to float.
constexpr double rounding = 1e-5;

std::vector<float> drawn(std::size_t n, std::uint64_t seed, double scale) {
  const counter_random random(seed, 7);
  std::vector<float> w(n);
  for (std::size_t j = 0; j < n; ++j) w[j] = static_cast<float>(scale * (2.0 * random.uniform(j) - 1.0));
  return w;
}

struct made_bound {
  std::unique_ptr<training_task> task;
  loss_bound bound;

  double at(std::span<const float> w) const {
    return std::inner_product(bound.slope.begin(), bound.slope.end(), w.begin(), bound.at_zero);
  }
};

template <class M>
made_bound bound_at(const M& model, const sparse_view& data, std::span<const float> w, bool bias,
                    std::size_t threads = 1, const agreement& ranks = agreement(nullptr)) {
  made_bound made{
      make_task(model, data, label_map::learn(labels_of(model), data.label, "toy"), {.bias = bias ? 1u : 0u}), {}};
  const auto team = thread_team::make(thread_team_kind::std, threads, false);
  made.bound = made.task->bound(w, *team, ranks, {}).value();
  return made;
}

/// The loss of the task's rows with these parameters.
double loss_at(const training_task& task, std::span<const float> w) {
  const auto team = thread_team::make(thread_team_kind::std, 1, false);
  const auto store = param_store::in_memory(task.shape(task.plan(), 1, 0, 0));
  task.assign(store, w);
  return task.evaluate(store, 1.0, task.data(), *team, false, {}).loss;
}

template <class M>
void expect_below(const M& model, const sparse_view& data, bool bias, std::size_t parameters, bool touches) {
  const std::vector<float> here = drawn(parameters, 1, 1.0);
  const made_bound made = bound_at(model, data, here, bias);
  EXPECT_NEAR(made.bound.loss, loss_at(*made.task, here), rounding * (1.0 + std::abs(made.bound.loss)))
      << model_name<M>();
  // With a constant term it touches the loss under the best constant.
  const double there = made.at(here);
  if (touches) {
    EXPECT_NEAR(there, made.bound.loss, rounding * (1.0 + std::abs(made.bound.loss))) << model_name<M>();
  }
  for (std::uint64_t seed = 2; seed < 14; ++seed) {
    const std::vector<float> w = drawn(parameters, seed, seed % 2 == 0 ? 0.3 : 3.0);
    const double loss = loss_at(*made.task, w);
    EXPECT_LE(made.at(w), loss + rounding * (1.0 + std::abs(loss))) << model_name<M>() << ", bias " << bias;
    EXPECT_LE(made.bound.least, loss + rounding * (1.0 + std::abs(loss))) << model_name<M>();
  }
}

TEST(loss_bound, lies_below_the_mean_loss_of_every_convex_model) {
  const test::toy_shape shape{.rows = rows, .columns = columns, .per_row = 4};
  const test::toy_rows signs = test::planted_classification(shape);
  test::toy_rows numbers = test::planted_regression(shape);
  for (float& y : numbers.label) y = std::abs(y);
  with_named_models([&]<class... M>() {
    const auto each = [&]<class One>() {
      if constexpr (margin_model<One> && is_convex<One>()) {
        const csr_rows data = labels_of(One{}) == label_kind::binary ? signs.csr() : numbers.csr();
        for (const bool bias : {false, true}) expect_below(One{}, data.view(), bias, columns + (bias ? 1 : 0), !bias);
      }
    };
    (each.template operator()<M>(), ...);
  });
}

// A model may have more classes than occur.
TEST(loss_bound, lies_below_the_mean_loss_of_classes) {
  const test::kept_rows data = test::planted_classes({.rows = rows, .columns = columns, .per_row = 4}, 3);
  for (const bool rest : {false, true})
    for (const bool bias : {false, true})
      for (const std::size_t classes : {3u, 4u})
        expect_below(softmax{.features = columns, .classes = classes, .bias = bias, .one_vs_rest = rest}, data.view(),
                     false, classes * (columns + (bias ? 1 : 0)), !bias);
}

TEST(loss_bound, lies_below_where_rows_have_lists_of_classes_or_none) {
  const test::kept_rows data = test::planted_classes({.rows = 400, .columns = columns, .per_row = 4}, 3);
  // Every second row has the class that was planted, every fourth two classes, every fourth none.
  std::vector<std::uint32_t> first{0};
  std::vector<double> labels;
  for (std::size_t r = 0; r < 400; ++r) {
    if (r % 4 != 3) labels.push_back(data.view().label[r]);
    if (r % 4 == 0) labels.push_back(std::fmod(data.view().label[r] + 1.0, 3.0));
    first.push_back(static_cast<std::uint32_t>(labels.size()));
  }
  const label_lists lists(first, labels);
  sparse_view listed = data.view();
  listed.label = lists.column();
  for (const bool rest : {false, true})
    for (const bool bias : {false, true})
      expect_below(softmax{.features = columns, .classes = 3, .bias = bias, .one_vs_rest = rest}, listed, false,
                   3 * (columns + (bias ? 1 : 0)), !bias);
}

// Rows of one label alone: the constant has no best value.
TEST(loss_bound, holds_where_the_loss_falls_for_ever_in_the_constant) {
  test::toy_rows toy = test::planted_classification({.rows = 200, .columns = columns, .per_row = 4});
  const label_map both(label_kind::binary, {-1.0, 1.0});
  for (float& y : toy.label) y = 1.0f;
  const csr_rows data = toy.csr();
  const auto task = make_task(logistic{}, data.view(), both, {.bias = 1});
  const auto team = thread_team::make(thread_team_kind::std, 1, false);
  const std::vector<float> w = drawn(columns + 1, 1, 1.0);
  const loss_bound bound = task->bound(w, *team, agreement(nullptr), {}).value();
  EXPECT_NEAR(std::inner_product(bound.slope.begin(), bound.slope.end(), w.begin(), bound.at_zero), 0.0, 1e-6);
}

TEST(loss_bound, is_the_same_for_any_number_of_threads) {
  const test::kept_rows data = test::planted_classification({.rows = 9'000, .columns = columns, .per_row = 4});
  const std::vector<float> w = drawn(columns + 1, 1, 1.0);
  const loss_bound one = bound_at(hinge_svm{}, data.view(), w, true, 1).bound;
  const loss_bound three = bound_at(hinge_svm{}, data.view(), w, true, 3).bound;
  EXPECT_EQ(one.at_zero, three.at_zero);
  EXPECT_EQ(one.loss, three.loss);
  EXPECT_EQ(one.slope, three.slope);
}

TEST(loss_bound, of_ranks_is_that_of_all_their_rows) {
  const test::kept_rows data = test::planted_classification({.rows = rows, .columns = columns, .per_row = 4});
  const std::vector<float> w = drawn(columns + 1, 1, 1.0);
  const loss_bound whole = bound_at(logistic{}, data.view(), w, true).bound;
  std::vector<loss_bound> of_rank(2);
  test::as_sound_ranks(2, [&](const test::rank_place& place) {
    const sparse_view part = place.rank == 0 ? data.view().slice(0, 700) : data.view().slice(700, rows);
    of_rank[place.rank] = bound_at(logistic{}, part, w, true, 1, agreement(&place.ranks)).bound;
  });
  EXPECT_EQ(of_rank[0].slope, of_rank[1].slope);
  EXPECT_EQ(of_rank[0].at_zero, of_rank[1].at_zero);
  EXPECT_NEAR(of_rank[0].loss, whole.loss, 1e-12);
  EXPECT_NEAR(of_rank[0].at_zero, whole.at_zero, 1e-6);
  for (std::size_t j = 0; j < columns; ++j) EXPECT_NEAR(of_rank[0].slope[j], whole.slope[j], 1e-6);
}

}  // namespace
