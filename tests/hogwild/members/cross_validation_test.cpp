// SPDX-License-Identifier: Apache-2.0
// Folds, a chosen l2 and paths against trainings by hand on rows that were cut by hand.
#include <hogwild/cross_validation.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/members/folds.hpp>
#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/several_models.hpp>
#include <hogwild/trainer.hpp>

#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct cross_validation : testing::Test {
  static constexpr std::size_t folds = 3;

  cross_validation() { options.epochs = 3; }

  sparse_view view() const { return rows.view(); }

  /// The rows of fold k and all others, in the order of row_folds.
  struct cut {
    sparse_dataset training, validation;
  };
  cut cut_by_hand(std::size_t k, label_kind kind = label_kind::binary) const {
    const auto fold_of = draw_folds(view(), label_map::learn(kind, view().label, "toy"), folds, options.seed);
    std::vector<std::size_t> kept, held;
    for (std::size_t other = 1; other <= folds; ++other)
      for (std::size_t r = 0; r < fold_of.size(); ++r)
        if (fold_of[r] == (k + other) % folds) (other < folds ? kept : held).push_back(r);
    return {sparse_dataset::copy_of(view(), kept), sparse_dataset::copy_of(view(), held)};
  }

  template <class M>
  train_result by_hand(const M& m, std::size_t k, double l2, const std::vector<float>& begin = {}) const {
    const cut parts = cut_by_hand(k, labels_of(m));
    train_options o = options;
    o.l2 = l2;
    o.test = parts.validation.view();
    if (!begin.empty()) o.initial = [&](std::span<float> fresh) { std::ranges::copy(begin, fresh.begin()); };
    return train(m, parts.training, serial_engine{}, o);
  }

  /// `least`: 0 for the same bits.
  template <class M>
  void expect_as_by_hand(const M& m, const fold_measures& found, double l2, double least = 0.0) const {
    ASSERT_EQ(found.folds.size(), folds);
    for (std::size_t k = 0; k < folds; ++k) {
      const measurement expected = *by_hand(m, k, l2).test;
      EXPECT_NEAR(found.folds[k].loss, expected.loss, least * expected.loss) << "fold " << k << ", l2 " << l2;
      ASSERT_EQ(found.folds[k].accuracy.has_value(), expected.accuracy.has_value());
      if (expected.accuracy) {
        EXPECT_NEAR(*found.folds[k].accuracy, *expected.accuracy, least);
      }
    }
  }

  template <class M>
  void expect_chosen_as_by_hand(const M& m) const {
    const std::vector<double> candidates{0.3, 1e-3, 0.03, 1e-5};
    train_options asked = options;
    asked.l2_by_folds = l2_search{.folds = folds, .of = candidates};
    const train_result run = train(m, view(), serial_engine{}, asked);
    ASSERT_EQ(run.l2_tried.size(), candidates.size());
    double lowest = HUGE_VAL, best = 0.0;
    for (const tried_l2& tried : run.l2_tried) {
      expect_as_by_hand(m, tried.measured, tried.l2, 1e-6);
      double sum = 0.0;
      for (std::size_t k = 0; k < folds; ++k) sum += by_hand(m, k, tried.l2).test->loss;
      if (sum < lowest) lowest = sum, best = tried.l2;
    }
    EXPECT_EQ(run.l2, best);
    train_options given = options;
    given.l2 = best;
    EXPECT_EQ(run.parameters, train(m, view(), serial_engine{}, given).parameters);
    // However many threads there are.
    const train_result by_threads = train(m, view(), thread_engine{.workers = 2}, asked);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      EXPECT_EQ(by_threads.l2_tried[i].l2, run.l2_tried[i].l2);
      for (std::size_t k = 0; k < folds; ++k)
        EXPECT_EQ(by_threads.l2_tried[i].measured.folds[k].loss, run.l2_tried[i].measured.folds[k].loss);
    }
  }

  /// The l2 if none is given.
  double l2_of_all() const { return usual_l2(squares_of_entries(view()), 400); }

  test::toy_rows toy = test::planted_classification({.rows = 400, .columns = 150});
  csr_rows rows = toy.csr();
  train_options options{};
};

TEST_F(cross_validation, is_as_training_on_rows_that_were_cut_by_hand) {
  const auto expect = [this](const auto& m) {
    const double l2 = options.l2.value_or(l2_of_all());
    for (const std::size_t workers : {1u, 2u})
      expect_as_by_hand(m, cross_validate(m, view(), thread_engine{.workers = workers}, folds, options), l2);
  };
  expect(logistic{});
  options.step.initial = 0.1;
  options.l2 = 1e-3;
  options.bias = true;
  options.seed = 5;
  expect(logistic{});
  options.l1 = 1e-4;
  expect(logistic{});
  options.bias = false;
  options.l1 = 0.0;
  expect(factorization_machine{.features = view().columns, .factors = 2});
}

TEST_F(cross_validation, of_weighed_rows_is_as_by_hand) {
  std::vector<float> weights;
  for (std::size_t r = 0; r < 400; ++r) weights.push_back(0.5f + static_cast<float>(r % 4));
  rows.set_weights(weights);
  options.step.initial = 0.1;
  expect_as_by_hand(logistic{}, cross_validate(logistic{}, view(), serial_engine{}, folds, options), l2_of_all(), 1e-6);
}

TEST_F(cross_validation, has_means_and_a_deviation) {
  const fold_measures three{.folds = {{.loss = 1.0, .accuracy = 0.5}, {.loss = 2.0, .accuracy = 0.75}, {.loss = 6.0}}};
  EXPECT_NEAR(three.mean().loss, 3.0, 1e-12);
  EXPECT_FALSE(three.mean().accuracy);
  EXPECT_NEAR(three.loss_deviation(), std::sqrt(7.0), 1e-12);
  const fold_measures two{.folds = {{.loss = 1.0, .accuracy = 0.5}, {.loss = 2.0, .accuracy = 0.75}}};
  EXPECT_NEAR(*two.mean().accuracy, 0.625, 1e-12);
}

TEST_F(cross_validation, chooses_l2_as_by_hand) {
  expect_chosen_as_by_hand(logistic{});
  options.step.initial = 0.2;
  options.bias = true;
  expect_chosen_as_by_hand(logistic{});
  options.l1 = 1e-4;
  expect_chosen_as_by_hand(logistic{});
  options.optimizer = optimizer_kind::adagrad;
  expect_chosen_as_by_hand(logistic{});
}

TEST_F(cross_validation, of_several_classes_chooses_l2_as_by_hand) {
  toy = test::planted_classes({.rows = 400, .columns = 150}, 4);
  rows = toy.csr();
  const softmax classes{.features = view().columns, .classes = 4, .bias = true};
  expect_chosen_as_by_hand(classes);
  options.step.initial = 0.2;
  expect_chosen_as_by_hand(classes);
  options.l1 = 1e-4;
  expect_chosen_as_by_hand(classes);
}

TEST_F(cross_validation, of_factors_chooses_l2_as_by_hand) {
  const factorization_machine machine{.features = view().columns, .factors = 4};
  expect_chosen_as_by_hand(machine);
  options.optimizer = optimizer_kind::sgd;
  expect_chosen_as_by_hand(machine);
}

TEST_F(cross_validation, chooses_among_powers_of_ten_about_the_usual_l2) {
  options.l2_by_folds = l2_search{.folds = folds};
  const auto tried = [this] { return train(logistic{}, view(), serial_engine{}, options).l2_tried; };
  const std::vector<tried_l2> all = tried();
  ASSERT_EQ(all.size(), 8u);
  EXPECT_NEAR(all.front().l2, 1e3 * l2_of_all(), 1e-5 * all.front().l2);
  EXPECT_NEAR(all.back().l2, 1e-4 * l2_of_all(), 1e-5 * all.back().l2);
  const double square_of_row = 400 * l2_of_all();
  options.step.initial = 1.0 / square_of_row;  // l2 * step is 2.5 and 0.25, ...
  EXPECT_EQ(tried().size(), 7u) << "a step times its l2 stays below 1";
  options.step.initial = 0.2 / square_of_row;  // times the rows it is 200, 20, 2 and 0.2, ...
  EXPECT_EQ(tried().size(), 8u);
  options.form = l2_form::two_pass;
  EXPECT_EQ(tried().size(), 5u) << "and with the number of rows in this form";
}

TEST_F(cross_validation, leaves_validation_rows_aside) {
  options.step.initial = 0.2;
  options.validation_fraction = 0.25;
  options.l2_by_folds = l2_search{.folds = folds, .of = {1e-3}};
  const train_result run = train(logistic{}, view(), serial_engine{}, options);
  ASSERT_TRUE(run.validation);
  ASSERT_EQ(run.l2_tried.size(), 1u);
  EXPECT_EQ(run.l2, 1e-3);
}

TEST_F(cross_validation, says_in_the_record_that_l2_was_found) {
  const test::scratch_folder folder;
  options.record = (folder.path() / "run.jsonl").string();
  train(logistic{}, view(), serial_engine{}, options);
  EXPECT_THAT(test::read_text(options.record), HasSubstr("\"l2_found\":false"));
  options.l2_by_folds = l2_search{.folds = folds};
  const train_result run = train(logistic{}, view(), serial_engine{}, options);
  EXPECT_THAT(test::read_text(options.record), HasSubstr("\"l2_found\":true"));
  EXPECT_GT(run.search_seconds, 0.0);
  EXPECT_GE(run.wall_seconds, run.search_seconds + run.train_seconds);
}

TEST_F(cross_validation, whose_l2_was_chosen_goes_on_with_it) {
  const test::scratch_folder folder;
  options.step = {.initial = 0.2, .kind = schedule_kind::constant};
  options.l2_by_folds = l2_search{.folds = folds, .of = {0.03, 1e-3, 1e-5}};
  options.epochs = 6;
  const train_result whole = train(logistic{}, view(), serial_engine{}, options);
  options.epochs = 2;
  options.checkpoint = (folder.path() / "run.ckpt").string();
  train(logistic{}, view(), serial_engine{}, options);
  options.epochs = 6;
  options.resume = std::exchange(options.checkpoint, {});
  const train_result resumed = train(logistic{}, view(), serial_engine{}, options);
  EXPECT_EQ(resumed.l2, whole.l2);
  EXPECT_EQ(resumed.parameters, whole.parameters);
  EXPECT_TRUE(resumed.l2_tried.empty()) << "it is not chosen a second time";
}

TEST_F(cross_validation, paths_are_as_warm_starts_by_hand) {
  options.bias = true;
  for (const bool step_given : {true, false}) {
    if (step_given) options.step.initial = 0.2;
    if (!step_given) options.step.initial.reset();
    const path_result path =
        train_path(logistic{}, view(), serial_engine{}, {.l2 = {1e-4, 0.1, 0.01}, .folds = folds}, options);
    ASSERT_EQ(path.points.size(), 3u);
    std::vector<float> before;
    std::vector<std::vector<float>> before_of_fold(folds);
    double lowest = HUGE_VAL;
    std::size_t best = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const path_point& point = path.points[i];
      train_options o = options;
      o.l2 = std::vector{0.1, 0.01, 1e-4}[i];
      if (!before.empty()) o.initial = [&](std::span<float> fresh) { std::ranges::copy(before, fresh.begin()); };
      const train_result expected = train(logistic{}, view(), serial_engine{}, o);
      EXPECT_EQ(point.run.l2, *o.l2);
      EXPECT_EQ(point.run.parameters, expected.parameters);
      before = expected.parameters;
      for (std::size_t k = 0; k < folds; ++k) {
        const train_result of_fold = by_hand(logistic{}, k, *o.l2, before_of_fold[k]);
        EXPECT_EQ(point.measured->folds[k].loss, of_fold.test->loss);
        before_of_fold[k] = of_fold.parameters;
      }
      if (point.measured->mean().loss < lowest) lowest = point.measured->mean().loss, best = i;
    }
    EXPECT_EQ(path.best, best);
  }
}

TEST_F(cross_validation, paths_know_their_best_by_validation_rows_or_end_with_it) {
  options.step.initial = 0.2;
  const path_options path{.l2 = {1.0, 0.01, 1e-3, 1e-7}};
  EXPECT_EQ(train_path(logistic{}, view(), serial_engine{}, path, options).best, 3u);
  options.validation_fraction = 0.3;
  const path_result validated = train_path(logistic{}, view(), serial_engine{}, path, options);
  std::vector<double> losses;
  for (const path_point& p : validated.points) losses.push_back(p.run.validation->loss);
  EXPECT_EQ(validated.best, std::ranges::min_element(losses) - losses.begin());
  EXPECT_GT(losses.front(), losses[*validated.best]);
}

TEST_F(cross_validation, paths_go_round_a_point_that_diverges) {
  const test::toy_rows numbers = test::planted_regression({.rows = 200, .columns = 10}, 0.1);
  options.step.initial = 100.0;
  options.epochs = 20;
  const path_result path =
      train_path(least_squares{}, numbers.csr().view(), serial_engine{}, {.l2 = {0.0}, .folds = 2}, options);
  ASSERT_EQ(path.points.size(), 1u);
  EXPECT_EQ(path.points[0].run.status, run_status::diverged);
  EXPECT_TRUE(std::isinf(path.points[0].measured->mean().loss));
  EXPECT_FALSE(path.best);
}

// A row of this data multiplies its error by 1 - step - step * l2: by -1.4 and by -0.5.
TEST_F(cross_validation, paths_go_on_behind_a_point_that_diverges_as_if_it_had_not_been) {
  test::toy_rows numbers;
  numbers.columns = 1;
  // So far from 0 that the noise of this step cannot make a run end worse than it began.
  for (std::size_t r = 0; r < 200; ++r) numbers.push({0}, {1.0f}, 100.0f + static_cast<float>(r % 7));
  const csr_rows column = numbers.csr();
  options = {.epochs = 8, .step = {.initial = 1.5}, .batch = 1};
  const serial_engine serial;
  const path_result path = train_path(least_squares{}, column.view(), serial, {.l2 = {0.6, 1e-4}, .folds = 2}, options);
  ASSERT_EQ(path.points.size(), 2u);
  EXPECT_EQ(path.points[0].run.status, run_status::diverged);
  EXPECT_TRUE(std::isinf(path.points[0].measured->mean().loss));
  EXPECT_EQ(path.points[1].run.status, run_status::done);
  options.l2 = 1e-4;
  EXPECT_EQ(path.points[1].run.parameters, train(least_squares{}, column.view(), serial, options).parameters);
  const fold_measures cold = cross_validate(least_squares{}, column.view(), serial, 2, options);
  EXPECT_EQ(path.points[1].measured->mean().loss, cold.mean().loss);
  EXPECT_EQ(path.best, 1u);
}

TEST_F(cross_validation, ends_where_it_is_asked_to) {
  std::stop_source source;
  source.request_stop();
  options.stop = source.get_token();
  EXPECT_TRUE(cross_validate(logistic{}, view(), serial_engine{}, folds, options).folds.empty());
  EXPECT_TRUE(train_path(logistic{}, view(), serial_engine{}, {.l2 = {0.1}, .folds = folds}, options).points.empty());
  options.l2_by_folds = l2_search{};
  const train_result run = train(logistic{}, view(), serial_engine{}, options);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_TRUE(run.l2_tried.empty());
}

TEST_F(cross_validation, paths_that_are_stopped_keep_what_has_ended_or_what_there_is_of_the_first) {
  for (const std::size_t epochs : {2u, 5u}) {  // of 3 for each point
    std::size_t seen = 0;
    options.observers = {
        [&](const epoch_report&) { return ++seen < epochs ? observer_answer::go_on : observer_answer::stop; }};
    const path_result path = train_path(logistic{}, view(), serial_engine{}, {.l2 = {0.1, 0.01}}, options);
    ASSERT_EQ(path.points.size(), 1u);
    EXPECT_EQ(path.points[0].run.l2, 0.1);
    EXPECT_EQ(path.points[0].run.epochs, std::min<std::size_t>(epochs, 3));
    EXPECT_EQ(path.best, 0u);
  }
}

template <class Error = config_error, class F>
void expect_refused(const F& f, const std::string& part) {
  EXPECT_THAT(f, ThrowsMessage<Error>(HasSubstr(part)));
}

TEST_F(cross_validation, refuses_what_cannot_be) {
  const auto validate = [this](std::size_t n) { cross_validate(logistic{}, view(), serial_engine{}, n, options); };
  expect_refused([&] { validate(401); }, "more folds, 401, than rows, 400");
  expect_refused([&] { validate(1); }, "at least two folds");
  const auto path = [this](const path_options& p) { train_path(logistic{}, view(), serial_engine{}, p, options); };
  expect_refused([&] { path({}); }, "the path has no l2");
  expect_refused([&] { path({.l2 = {0.1, 0.1}}); }, "twice");
  expect_refused([&] { path({.l2 = {0.1, -0.1}}); }, "must not be negative");
  options.optimizer = optimizer_kind::ftrl;
  expect_refused([&] { path({.l2 = {0.1, 0.01}}); }, "ftrl computes its weights from sums");
  options.optimizer.reset();
  options.record = "run.jsonl";
  expect_refused([&] { path({.l2 = {0.1}}); }, "leave out record");
  options.record.clear();
  options.l2 = 0.1;
  expect_refused([&] { path({.l2 = {0.1}}); }, "leave out the l2");
  options.l2_by_folds = l2_search{};
  expect_refused([&] { train(logistic{}, view(), serial_engine{}, options); }, "leave out one of them");
  options.l2.reset();
  options.l2_by_folds->of = {-1.0};
  expect_refused([&] { train(logistic{}, view(), serial_engine{}, options); }, "must not be negative");
  options.l2_by_folds->of.clear();
  options.step.initial = 1e9;
  expect_refused([&] { train(logistic{}, view(), serial_engine{}, options); }, "lower the step");
  options.step.initial.reset();
  // Only train() chooses.
  expect_refused([&] { train_ensemble(logistic{}, view(), serial_engine{}, {.models = 2}, options); }, "by folds");
  expect_refused([&] { cross_validate(logistic{}, view(), serial_engine{}, 2, options); }, "by folds");
}

TEST_F(cross_validation, needs_each_label_in_each_fold) {
  const auto few = static_cast<std::size_t>(std::ranges::count(toy.label, toy.label.front()));
  for (std::size_t r = 0, seen = 0; r < toy.label.size(); ++r)
    if (toy.label[r] == toy.label.front() && ++seen > 2) toy.label[r] = -toy.label.front();
  ASSERT_GT(few, 2u);
  const csr_rows lopsided = toy.csr();
  expect_refused<input_error>([&] { cross_validate(logistic{}, lopsided.view(), serial_engine{}, folds, options); },
                              "has 2 rows, fewer than the 3 folds");
}

}  // namespace
}  // namespace hogwild
