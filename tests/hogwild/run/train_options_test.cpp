// SPDX-License-Identifier: Apache-2.0
// Options and data that do not go together are refused before training, each with a sentence of its own.
#include <sys/stat.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const test::toy_rows two = test::planted_classification({.rows = 100, .columns = 20});
const test::toy_rows numbers = test::planted_regression({.rows = 100, .columns = 20});

template <class Error, class M>
std::string refusal(const M& m, const test::toy_rows& toy, const train_options& options) {
  return test::refusal_of<Error>([&] { (void)train(m, toy.csr(), serial_engine{}, options); });
}

std::string refused(const train_options& options) {
  return refusal<config_error>(logistic{}, two, options);
}
std::string refused_for_numbers(const train_options& options) {
  return refusal<config_error>(least_squares{}, numbers, options);
}

constexpr step_options step{.initial = 0.1};

TEST(train_options, numbers_outside_their_range_are_refused) {
  EXPECT_THAT(refused({.epochs = 0}), HasSubstr("epochs is 0"));
  EXPECT_THAT(refused({.step = {.initial = -0.1}}), HasSubstr("step.initial is"));
  EXPECT_THAT(refused({.step = {.initial = NAN}}), HasSubstr("step.initial is"));
  EXPECT_THAT(refused({.step = {.initial = 0.1, .decay = -1.0}}),
              HasSubstr("step.decay is -1: it takes a number above 0"));
  EXPECT_THAT(refused({.step = {.initial = 0.1, .decay = 1.5}}), HasSubstr("above 1"));
  EXPECT_THAT(refused({.l2 = -1.0}), HasSubstr("l2 is -1: it takes a number of at least 0"));
  EXPECT_THAT(refused({.weight_positive = 0.0}), HasSubstr("weight_positive is 0: it takes a number above 0"));
  EXPECT_THAT(refused({.bias = true, .bias_rate = 0.0}), HasSubstr("bias_rate is 0"));
  EXPECT_THAT(refused({.bias = true, .bias_rate = NAN}), HasSubstr("bias_rate is nan"));
  EXPECT_THAT(refused({.bias_rate = 1.0}), HasSubstr("bias_rate needs a bias"));
  EXPECT_THAT(refused({.optimizer = optimizer_kind::adagrad, .bias = true, .bias_rate = 1.0}),
              HasSubstr("bias_rate is for sgd"));
  EXPECT_THAT(refused({.tolerance = 1.0}), HasSubstr("tolerance is 1: it takes a number of at least 0 and below 1"));
  EXPECT_THAT(refused({.tolerance = -0.1}), HasSubstr("tolerance"));
  EXPECT_THAT(refused({.validation_fraction = 1.0}), HasSubstr("validation_fraction is 1"));
  EXPECT_THAT(refused({.validation_fraction = 0.001}), HasSubstr("leaves no rows to train on"));
  EXPECT_THAT(refused({.patience = 0}), HasSubstr("patience is 0: it takes a whole number of at least 1"));
  EXPECT_THAT(refused({.validation_fraction = 0.5, .min_delta = -1.0}), HasSubstr("min_delta is -1"));
  EXPECT_THAT(refused({.min_delta = 0.1}), HasSubstr("min_delta is about the measure of validation rows"));
  EXPECT_THAT(refused({.stop_by = "accuracy"}), HasSubstr("stop_by compares epochs by validation rows"));
  EXPECT_THAT(refused({.stop_by = "rmse", .validation_fraction = 0.5}),
              HasSubstr("'rmse' is not measured on rows of two classes"));
  EXPECT_THAT(refused({.target = target_option{"validation_accuracy", 0.5}}), HasSubstr("there are none"));
  for (const char* const by : {"loss", "accuracy", "auc"})
    EXPECT_EQ(refused({.stop_by = by, .validation_fraction = 0.5}), "accepted") << by;
  EXPECT_EQ(refused({.validation_fraction = 0.5, .min_delta = 0.1}), "accepted");
  EXPECT_THAT(refused({.measure_every = 0}), HasSubstr("at least 1"));
  EXPECT_THAT(refused({.step = {.initial = 0.1, .decay = 0.5, .kind = schedule_kind::constant}}),
              HasSubstr("a constant step has no decay"));
}

TEST(train_options, schedules_that_cannot_be_followed_are_refused) {
  const auto with = [](schedule_kind kind, std::optional<double> decay, std::size_t warm_up = 0) {
    return refused({.epochs = 2, .step = {.initial = 0.1, .decay = decay, .kind = kind, .warm_up = warm_up}});
  };
  EXPECT_THAT(with(schedule_kind::cosine, 2.0), HasSubstr("at most 1"));
  EXPECT_THAT(with(schedule_kind::plateau, 1.0), HasSubstr("never lowers the step"));
  EXPECT_THAT(with(schedule_kind::plateau, {}), HasSubstr("give validation rows, or a fraction"));
  EXPECT_THAT(with(schedule_kind::geometric, {}, 2), HasSubstr("a warm-up of 2 epochs leaves none of the run's 2"));
  EXPECT_EQ(with(schedule_kind::cosine, {}, 1), "accepted");
}

TEST(train_options, an_average_is_of_several_epochs) {
  EXPECT_THAT(refused({.average = 0.0}), HasSubstr("average is 0: it takes a number above 0 and at most 1"));
  EXPECT_THAT(refused({.average = 1.5}), HasSubstr("average is 1.5"));
  EXPECT_THAT(refused({.epochs = 10, .average = 0.1}), HasSubstr("a single epoch"));
  EXPECT_EQ(refused({.epochs = 4, .step = step, .average = 0.5}), "accepted");
}

TEST(train_options, an_inverse_decay_above_one_is_fine) {
  EXPECT_EQ(refused({.epochs = 2, .step = {.initial = 0.1, .decay = 2.0, .kind = schedule_kind::inverse}}), "accepted");
}

TEST(train_options, a_step_that_turns_weights_over_is_refused) {
  EXPECT_THAT(refused({.step = {.initial = 2.0}, .l2 = 0.5}), HasSubstr("step * l2"));
}

TEST(train_options, what_does_not_suit_the_model_is_refused) {
  EXPECT_THAT(refused_for_numbers({.step = step, .weight_positive = 2.0}), HasSubstr("binary model"));
  const softmax classes{.features = 20, .classes = 2};
  EXPECT_THAT(refusal<config_error>(classes, two, {.step = step, .batch = 4}), HasSubstr("one at a time"));
  EXPECT_EQ(refusal<config_error>(classes, two, {.epochs = 1, .step = step, .batch = 1}), "accepted");
  const auto for_softmax = [](const train_options& o) {
    return refusal<config_error>(softmax{.features = 20, .classes = 2}, two, o);
  };
  EXPECT_THAT(for_softmax({.step = step, .bias = true}), HasSubstr("bias"));
  EXPECT_EQ(for_softmax({.epochs = 1, .step = step}), "accepted");
}

TEST(train_options, targets_must_be_measured) {
  EXPECT_THAT(refused({.target = target_option{"test_auc", 0.9}}), HasSubstr("no test rows"));
  const csr_rows test_rows = two.csr(), test_numbers = numbers.csr();
  EXPECT_THAT(refused({.target = target_option{"test_rmse", 1.0}, .test = test_rows.view()}), HasSubstr("test_rmse"));
  for (const std::string m : {"test_auc", "test_f1"}) {
    EXPECT_THAT(refused_for_numbers({.target = target_option{m, 0.9}, .test = test_numbers.view()}),
                HasSubstr(m + " is not measured on rows of numbers"));
  }
  EXPECT_THAT(
      refused_for_numbers({.target = target_option{"test_accuracy", 0.9}, .test = test_numbers.view()}),
      HasSubstr("test_accuracy is not measured on rows of numbers: take one of train_loss, objective, test_loss, "
                "test_ndcg_at_10, test_rmse"));
}

TEST(train_options, observers_are_there) {
  observer deaf;
  EXPECT_EQ(refused({.epochs = 1, .step = step, .observers = {&deaf}}), "accepted");
  EXPECT_THAT(refused({.epochs = 1, .step = step, .observers = {&deaf, nullptr}}), HasSubstr("observer 1"));
}

TEST(train_options, validation_comes_from_one_place) {
  const csr_rows rows = two.csr();
  EXPECT_THAT(refused({.validation = rows.view(), .validation_fraction = 0.2}), HasSubstr("not both"));
}

TEST(train_options, a_place_that_keeps_no_checkpoint_is_refused_before_training) {
  std::size_t epochs = 0;
  const test::scratch_folder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& place : {fifo, folder.path().string(), (folder / "missing/state").string()}) {
    const train_options options{
        .epochs = 1, .step = step, .checkpoint = place, .observers = {[&](const epoch_report&) { ++epochs; }}};
    EXPECT_THAT(refusal<input_error>(logistic{}, two, options), HasSubstr(place));
  }
  EXPECT_EQ(epochs, 0u);
}

struct data_that_does_not_suit : testing::Test {
  test::toy_rows toy = two;
  std::string refused() const {
    return refusal<input_error>(logistic{}, toy, {.epochs = 1, .step = step, .data_name = "rows.svm"});
  }
};

TEST_F(data_that_does_not_suit, no_rows) {
  toy = {};
  toy.columns = 3;
  EXPECT_THAT(refused(), HasSubstr("rows.svm has no rows"));
}

TEST_F(data_that_does_not_suit, a_column_out_of_range) {
  toy.index[17] = 20;
  EXPECT_THAT(refused(), HasSubstr("entry 17 has column 20"));
}

TEST_F(data_that_does_not_suit, a_value_that_is_not_finite) {
  toy.value[3] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refused(), HasSubstr("entry 3 is not a finite number"));
}

TEST_F(data_that_does_not_suit, the_row_is_named_with_the_entry) {
  const std::size_t entry = toy.row_start[6] + 1;
  toy.value[entry] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refused(), HasSubstr("rows.svm: in row 7 entry " + std::to_string(entry)));
}

TEST_F(data_that_does_not_suit, a_column_that_stands_twice_in_a_row) {
  toy = {};
  toy.columns = 5;
  toy.push({3, 0, 4}, {1, 1, 1}, 1);  // in any order
  toy.push({0, 1, 2}, {1, 1, 1}, -1);
  EXPECT_EQ(refused(), "accepted");
  toy.push({3, 4, 0, 3}, {1, 1, 1, 1}, 1);
  EXPECT_THAT(refused(), HasSubstr("rows.svm: in row 3 column 3 stands twice"));
  toy = {};
  toy.columns = 5;
  toy.push({1}, {1}, 1);
  toy.push({2, 2}, {1, 1}, -1);
  EXPECT_THAT(refused(), HasSubstr("in row 2 column 2 stands twice"));
}

TEST_F(data_that_does_not_suit, more_columns_than_have_numbers) {
  toy.columns = (std::size_t{1} << 32) + 7;
  EXPECT_THAT(refused(), HasSubstr("4294967303 columns; at most 4294967294 are supported"));
  sparse_view wide = two.csr().view();
  wide.columns = toy.columns;
  EXPECT_THAT([&] { train(logistic{}, wide, serial_engine{}); },
              testing::ThrowsMessage<input_error>(HasSubstr("the training data has 4294967303 columns; at most")));
}

TEST_F(data_that_does_not_suit, one_label_or_three) {
  toy.label[0] = 5.0f;
  EXPECT_THAT(refused(), HasSubstr("rows.svm"));
  for (float& y : toy.label) y = 1.0f;
  EXPECT_THAT(refused(), HasSubstr("two"));
}

/// The refusals of these rows as test rows and as validation rows.
std::vector<std::string> refused_to_measure(const test::toy_rows& rows) {
  const csr_rows csr = rows.csr();
  return {refusal<input_error>(logistic{}, two, {.epochs = 1, .step = step, .test = csr.view()}),
          refusal<input_error>(logistic{}, two, {.epochs = 1, .step = step, .validation = csr.view()})};
}

TEST_F(data_that_does_not_suit, test_rows_with_labels_columns_or_entries_that_training_never_had) {
  toy.label[4] = 7.0f;
  EXPECT_THAT(refused_to_measure(toy), ElementsAre(HasSubstr("the test data"), HasSubstr("the validation data")));
  toy = two;
  toy.columns = 4'000'001;
  toy.index[0] = 4'000'000;
  EXPECT_THAT(refused_to_measure(toy), ElementsAre(HasSubstr("the test data has 4000001 columns"),
                                                   HasSubstr("the validation data has 4000001 columns")));
  toy.columns = two.columns;
  EXPECT_THAT(refused_to_measure(toy), testing::Each(HasSubstr("column 4000000")));
  toy = two;
  toy.value[toy.row_start[8]] = NAN;
  EXPECT_THAT(refused_to_measure(toy), ElementsAre(HasSubstr("the test data: in row 9 entry "),
                                                   HasSubstr("the validation data: in row 9 entry ")));
}

TEST_F(data_that_does_not_suit, a_model_with_fewer_columns_or_classes_than_the_data) {
  EXPECT_THAT(refusal<config_error>(softmax{.features = 19, .classes = 2}, two, {.epochs = 1, .step = step}),
              HasSubstr("19 rows of weights for 20 columns"));
  const auto three = test::planted_classes({.rows = 100, .columns = 20}, 3);
  EXPECT_THAT(refusal<config_error>(softmax{.features = 20, .classes = 2}, three, {.epochs = 1, .step = step}),
              HasSubstr("the model has 2 classes, but the data 3"));
}

}  // namespace
