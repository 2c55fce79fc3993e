// SPDX-License-Identifier: Apache-2.0
// A law of every way to train a linear model with a constant term, even if the saved model is a mean of weights or a
// merge of replicas: the mean prediction is the mean label, because the constant is minimised last.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/poisson.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/several_models.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr std::size_t classes = 3;

template <class M>
constexpr bool is_of_classes = std::is_same_v<M, softmax>;

/// Rows whose labels have a constant of their own: two labels, three classes, numbers around 7 or counts around 4.
template <class M>
test::toy_rows rows_for() {
  const test::toy_shape shape{.rows = 600, .columns = 20, .per_row = 5};
  test::toy_rows rows = test::planted_rows(shape);
  const std::vector<double> w = test::planted_weights(shape);
  const counter_random noise(5, 9);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const double score = test::planted_score(rows, r, w), by_chance = noise.uniform(r) - 0.5;
    const bool rare = score + 2.0 * by_chance > 1.2;
    if constexpr (is_of_classes<M>)
      rows.label[r] = rare ? 2.0f : by_chance > 0.2 ? 1.0f : 0.0f;
    else if constexpr (std::is_same_v<M, logistic>)
      rows.label[r] = rare ? 1.0f : -1.0f;
    else if constexpr (std::is_same_v<M, poisson>)
      rows.label[r] = static_cast<float>(std::floor(std::exp(1.2 + score + by_chance)));
    else
      rows.label[r] = static_cast<float>(7.0 + score + by_chance);
  }
  return rows;
}

template <class M>
M model_with_constant([[maybe_unused]] std::size_t columns) {
  if constexpr (is_of_classes<M>)
    return {.features = columns, .classes = classes, .bias = true};
  else
    return {};
}

/// The scores of row r: one of each class, or the margin.
template <class M>
std::vector<double> scores_of(const std::vector<float>& w, const test::toy_rows& rows, std::size_t r) {
  const std::size_t each = is_of_classes<M> ? classes : 1;
  std::vector<double> scores(w.end() - static_cast<std::ptrdiff_t>(each), w.end());
  for (std::size_t e = rows.row_start[r]; e < rows.row_start[r + 1]; ++e)
    for (std::size_t k = 0; k < each; ++k)
      scores[k] += static_cast<double>(rows.value[e]) * static_cast<double>(w[rows.index[e] * each + k]);
  return scores;
}

/// The numbers that the scores of a row predict: the probabilities of all classes, or of the larger label, or one.
template <class M>
std::vector<double> predicted_by(std::vector<double> scores) {
  if constexpr (!std::is_same_v<M, least_squares>)
    for (double& s : scores) s = std::exp(s);
  double sum = 0.0;
  for (const double s : scores) sum += s;
  if constexpr (is_of_classes<M>)
    for (double& s : scores) s /= sum;
  else if constexpr (std::is_same_v<M, logistic>)
    scores[0] = sum / (1.0 + sum);
  return scores;
}

/// The same numbers for the label.
template <class M>
std::vector<double> given_by(float label) {
  if constexpr (is_of_classes<M>) {
    std::vector<double> all(classes);
    all[static_cast<std::size_t>(label)] = 1.0;
    return all;
  } else if constexpr (std::is_same_v<M, logistic>) {
    return {label > 0.0f ? 1.0 : 0.0};
  } else {
    return {static_cast<double>(label)};
  }
}

template <class M>
class mean_prediction_law : public testing::Test {
 protected:
  const test::toy_rows rows = rows_for<M>();
  const csr_rows data = rows.csr();
  const M model = model_with_constant<M>(rows.columns);

  static train_options of_epochs(std::size_t epochs) { return {.epochs = epochs, .bias = margin_model<M>}; }

  void expect_mean_of_labels(const train_result& run, const std::string& trained) const {
    std::vector<double> predicted(is_of_classes<M> ? classes : 1), given(predicted.size());
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      const auto p = predicted_by<M>(scores_of<M>(run.parameters, rows, r)), y = given_by<M>(rows.label[r]);
      for (std::size_t k = 0; k < p.size(); ++k) predicted[k] += p[k], given[k] += y[k];
    }
    for (std::size_t k = 0; k < given.size(); ++k) EXPECT_NEAR(predicted[k], given[k], 0.02 * given[k]) << trained;
    // A model of zero weights has that mean, too; this one has other weights.
    const auto end = run.parameters.begin() + static_cast<std::ptrdiff_t>(rows.columns);
    EXPECT_GT(*std::max_element(run.parameters.begin(), end), 0.1f) << trained;
  }

  template <class Engine>
  void expect_of(const Engine& engine, const train_options& options, const std::string& trained) const {
    expect_mean_of_labels(train(model, data.view(), engine, options), trained);
  }
};

using models = testing::Types<least_squares, logistic, poisson, softmax>;
TYPED_TEST_SUITE(mean_prediction_law, models);

TYPED_TEST(mean_prediction_law, holds_by_any_engine) {
  const train_options options = this->of_epochs(3);
  this->expect_of(serial_engine{}, options, "serial");
  this->expect_of(thread_engine{.workers = 2}, options, "threads");
  this->expect_of(all_reduce_engine{.workers = 2}, options, "all_reduce");
  this->expect_of(local_sgd_engine{.workers = 2}, options, "local_sgd");
  for (const ring_rule rule : {ring_rule::deltas, ring_rule::average, ring_rule::released})
    this->expect_of(ring_engine{.workers = 2, .replicas = 2, .rule = rule}, options,
                    "ring, rule " + std::to_string(static_cast<int>(rule)));
}

TYPED_TEST(mean_prediction_law, holds_for_the_mean_of_epochs) {
  train_options options = this->of_epochs(4);
  options.average = 0.5;
  this->expect_of(serial_engine{}, options, "each measured");
  options.measure_every = 3;
  this->expect_of(serial_engine{}, options, "measured every third epoch");
  const test::scratch_folder folder;
  options.checkpoint = (folder / "run.checkpoint").string();
  options.observers.push_back(
      [](const epoch_report& e) { return e.epoch >= 3 ? observer_answer::stop : observer_answer::go_on; });
  this->expect_of(serial_engine{}, options, "ended by an observer");
  options.observers.clear();
  options.resume = options.checkpoint;
  this->expect_of(serial_engine{}, options, "resumed");
  this->expect_of(serial_engine{}, options, "resumed with nothing left to do");
}

TYPED_TEST(mean_prediction_law, holds_for_the_mean_of_several_models) {
  if constexpr (margin_model<TypeParam>) {
    const train_options options = this->of_epochs(3);
    const auto mean_of = [&](ensemble_rows rows, const auto& engine, const train_options& o) {
      const ensemble_options averaged{.models = 8, .rows = rows, .answer = ensemble_answer::mean_weights};
      return train_ensemble(this->model, this->data.view(), engine, averaged, o);
    };
    for (const ensemble_rows rows : {ensemble_rows::shards, ensemble_rows::bootstrap}) {
      const std::string which = rows == ensemble_rows::shards ? "shards" : "bootstraps";
      this->expect_mean_of_labels(mean_of(rows, serial_engine{}, options), which);
      train_options others = options;
      for (const optimizer_kind by : {optimizer_kind::adagrad, optimizer_kind::ftrl}) {
        others.optimizer = by;
        this->expect_mean_of_labels(mean_of(rows, serial_engine{}, others),
                                    which + ", optimizer " + std::to_string(static_cast<int>(by)));
      }
      train_options reproducible = options;
      reproducible.reproducible = true;
      const train_result one = mean_of(rows, thread_engine{.workers = 1}, reproducible);
      this->expect_mean_of_labels(one, which + ", reproducible");
      EXPECT_EQ(mean_of(rows, thread_engine{.workers = 3}, reproducible).parameters, one.parameters) << which;
    }
  } else {
    GTEST_SKIP() << "ensembles are for models with a margin";
  }
}

}  // namespace
}  // namespace hogwild
