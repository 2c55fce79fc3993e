// SPDX-License-Identifier: Apache-2.0
// Models that make one, compared with trainings of each of them alone.
#include <hogwild/several_models.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/registry.hpp>

#include "support/heard_run.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

#include "members/member_rows.hpp"

namespace hogwild {
namespace {

/// Requests a stop while a row is trained, once the test says so.
struct stopping_logistic : logistic {
  static constexpr std::string_view name = "stopping_logistic";
  std::stop_source* source;
  const bool* told;

  float derivative(float margin, float label) const {
    if (*told) source->request_stop();
    return logistic::derivative(margin, label);
  }
};

struct several_models : testing::Test {
  static constexpr std::size_t classes = 11;  // eight and three are trained side by side
  static constexpr test::toy_shape shape{.rows = 900, .columns = 200, .per_row = 13};

  /// Rows of the positive planted label are in even classes.
  static test::toy_rows of_classes() {
    test::toy_rows made = test::planted_classification(shape);
    for (std::size_t r = 0; r < made.rows(); ++r)
      made.label[r] = static_cast<float>(made.label[r] > 0.0f ? 2 * (r % 6) : 2 * (r % 5) + 1);
    return made;
  }
  test::kept_rows against_rest(std::size_t k) const {
    test::toy_rows one = all;
    for (float& label : one.label) label = label == static_cast<float>(k) ? 1.0f : -1.0f;
    return one;
  }
  /// The parameters of model k among `models`.
  static std::vector<float> part(const std::vector<float>& parameters, std::size_t k, std::size_t models) {
    std::vector<float> own;
    for (std::size_t j = k; j < parameters.size(); j += models) own.push_back(parameters[j]);
    return own;
  }
  static thread_engine threads(std::size_t workers) {
    return {.workers = workers, .team = thread_team_kind::std, .pin = false};
  }
  template <class M, class Engine = serial_engine>
  train_result one_vs_rest(const M& m, const train_options& options, const Engine& engine = {}) const {
    return train_one_vs_rest(m, all, engine, options);
  }
  template <class M, class Engine = serial_engine>
  train_result ensemble(const M& m, const ensemble_options& how, const train_options& options,
                        const Engine& engine = {}) const {
    return train_ensemble(m, two_labels, engine, how, options);
  }

  template <class M>
  void expect_each_as_alone(const M& m, const train_options& options) const {
    const train_result together = one_vs_rest(m, options);
    ASSERT_EQ(together.labels.classes(), classes);
    double losses = 0.0, objectives = 0.0;
    bool sound = true;
    for (std::size_t k = 0; k < classes; ++k) {
      SCOPED_TRACE("class " + std::to_string(k));
      const test::kept_rows one = against_rest(k);
      const train_result alone = train(m, one.view(), serial_engine{}, options);
      ASSERT_EQ(part(together.parameters, k, classes), alone.parameters);
      losses += alone.train_loss, objectives += alone.objective;
      sound = sound && alone.status == run_status::done;
    }
    EXPECT_EQ(together.status, sound ? run_status::done : run_status::diverged);
    EXPECT_NEAR(together.train_loss, losses, 1e-5 * losses);
    EXPECT_NEAR(together.objective, objectives, 1e-5 * objectives);
  }

  const test::kept_rows all = of_classes(), two_labels = test::planted_classification(shape);
};

/// ThreadSanitizer has nothing to see where one thread trains.
struct several_models_by_one_thread : several_models {
  void SetUp() override {
    if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  }
};

TEST_F(several_models_by_one_thread, of_classes_make_the_bits_that_each_makes_alone) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  expect_each_as_alone(logistic{}, {.epochs = 3, .step = {.initial = 0.3}, .seed = seed});
  // So large a step is stable for few rows at a time only.
  expect_each_as_alone(logistic{}, {.epochs = 2, .step = {.initial = 30.0}, .l2 = 0.0, .seed = seed});
  expect_each_as_alone(hinge_svm{}, {.epochs = 3, .l2 = 1e-3, .bias = true, .seed = seed});
  expect_each_as_alone(logistic{}, {.epochs = 4,
                                    .step = {.initial = 0.5, .kind = schedule_kind::inverse, .warm_up = 1},
                                    .order = row_order::permuted,
                                    .bias = true,
                                    .seed = seed,
                                    .batch = 3});
  expect_each_as_alone(logistic{},
                       {.epochs = 3, .step = {.initial = 0.2}, .l2 = 1e-4, .l1 = 1e-3, .bias = true, .seed = seed});
  expect_each_as_alone(hinge_svm{}, {.epochs = 2, .l1 = 1e-4, .seed = seed});
}

// Models that lanes do not support are trained one by one.
TEST_F(several_models_by_one_thread, of_classes_are_trained_by_any_optimizer_as_alone) {
  expect_each_as_alone(logistic{}, {.epochs = 2, .step = {.initial = 0.2}, .optimizer = optimizer_kind::adagrad});
  expect_each_as_alone(logistic{}, {.epochs = 4, .step = {.initial = 0.2}, .average = 0.5});
}

TEST_F(several_models_by_one_thread, of_classes_begin_with_what_they_are_given) {
  train_options options{.epochs = 30, .l2 = 1e-3, .bias = true, .tolerance = 1e-2};
  const std::vector<float> begin = one_vs_rest(hinge_svm{}, options).parameters;
  for (const bool lanes : {true, false}) {
    train_options together = options;
    if (!lanes) together.optimizer = optimizer_kind::adagrad;
    train_options alone = together;
    together.initial = [&](std::span<float> fresh) { std::ranges::copy(begin, fresh.begin()); };
    const train_result run = one_vs_rest(logistic{}, together);
    EXPECT_LT(run.epochs, 30u) << "the tolerance has ended none";
    for (std::size_t k = 0; k < classes; ++k) {
      const std::vector<float> own = part(begin, k, classes);
      alone.initial = [&](std::span<float> fresh) { std::ranges::copy(own, fresh.begin()); };
      const test::kept_rows one = against_rest(k);
      EXPECT_EQ(part(run.parameters, k, classes), train(logistic{}, one.view(), serial_engine{}, alone).parameters)
          << k;
    }
    EXPECT_THROW(ensemble(least_squares{}, {.models = 3}, together), config_error);
  }
}

TEST_F(several_models_by_one_thread, of_classes_end_by_their_own_validation_loss) {
  const sparse_view training = all.view().slice(0, 600), held = all.view().slice(600, 900);
  std::vector<std::size_t> epochs;
  for (const auto& [step, min_delta] : {std::pair{2.0, 0.0}, std::pair{0.1, 0.0}, std::pair{0.1, 0.02}}) {
    train_options options{.epochs = 12, .step = {.initial = step}, .l2 = 0.0, .patience = 1, .min_delta = min_delta};
    options.validation = held;
    const train_result together = train_one_vs_rest(logistic{}, training, serial_engine{}, options);
    epochs.push_back(0);
    for (std::size_t k = 0; k < classes; ++k) {
      const test::kept_rows one = against_rest(k);
      options.validation = one.view().slice(600, 900);
      const train_result alone = train(logistic{}, one.view().slice(0, 600), serial_engine{}, options);
      epochs.back() += alone.epochs;
      EXPECT_EQ(part(together.parameters, k, classes), alone.parameters) << k;
    }
  }
  EXPECT_LT(epochs[0], 12 * classes);
  EXPECT_LT(epochs[2], epochs[1]);
}

TEST_F(several_models_by_one_thread, of_classes_measure_the_class_of_the_greatest_margin) {
  train_options options{.epochs = 3, .step = {.initial = 0.5}, .bias = true};
  options.test = all.view();
  std::vector<epoch_report> seen;
  std::vector<float> told;
  options.observers.push_back([&](const epoch_report& e) {
    seen.push_back(e);
    told = e.parameters();
  });
  const train_result run = one_vs_rest(logistic{}, options);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_NEAR(seen.back().train_loss, run.train_loss, 1e-5 * run.train_loss);
  EXPECT_EQ(told, run.parameters);
  std::size_t right = 0;
  for (std::size_t r = 0; r < 900; ++r) {
    std::vector<double> margin(classes);
    for (std::size_t k = 0; k < classes; ++k) {
      const std::vector<float> w = part(run.parameters, k, classes);
      margin[k] = static_cast<double>(w.back());
      const sparse_view& v = all.view();
      for (std::size_t i = v.row_start[r]; i < v.row_start[r + 1]; ++i)
        margin[k] += static_cast<double>(w[v.index[i]]) * static_cast<double>(v.value[i]);
    }
    const auto best = std::ranges::max_element(margin) - margin.begin();
    right += static_cast<float>(best) == all.label[r] ? 1 : 0;
  }
  EXPECT_NEAR(run.test->accuracy.value(), static_cast<double>(right) / 900.0, 2.0 / 900.0);
  EXPECT_EQ(run.test->accuracy, seen.back().test->accuracy);
}

TEST_F(several_models, of_classes_end_as_well_by_two_threads) {
  const train_options options{.epochs = 10, .step = {.initial = 0.3}};
  const double serial = one_vs_rest(logistic{}, options).objective;
  EXPECT_NEAR(one_vs_rest(logistic{}, options, threads(2)).objective, serial, 0.03 * serial);
}

TEST_F(several_models, that_are_reproducible_have_the_same_bits_by_any_number_of_workers) {
  const train_options options{.epochs = 2, .reproducible = true, .bias = true};
  for (const std::size_t models : {5u, 33u}) {
    train_options serially = options;
    serially.reproducible = false;
    const train_result serial = ensemble(logistic{}, {.models = models}, serially);
    for (const std::size_t workers : {1u, 2u, 3u, 5u}) {
      if (test::thread_sanitized && workers != 2 && workers != 3) continue;
      EXPECT_EQ(ensemble(logistic{}, {.models = models}, options, threads(workers)).parameters, serial.parameters)
          << models << " models, " << workers << " workers";
    }
  }
}

TEST_F(several_models, that_are_trained_one_by_one_and_stopped_tell_of_none_that_was_not_begun) {
  std::stop_source source;
  const bool told = true;
  stopping_logistic model;
  model.source = &source;
  model.told = &told;
  train_options options{.epochs = 3, .step = {.initial = 0.1}, .optimizer = optimizer_kind::adagrad};
  options.stop = source.get_token();
  const train_result run = one_vs_rest(model, options);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.epochs, 0u);
  EXPECT_TRUE(std::isnan(run.train_loss));
}

TEST_F(several_models, note_that_rows_have_nothing_to_learn_from) {
  test::toy_rows empty;
  empty.columns = 3;
  for (std::size_t r = 0; r < 60; ++r) empty.push({}, {}, r % 2 == 0 ? 1.0f : -1.0f);
  const csr_rows rows = empty.csr();
  for (const optimizer_kind by : {optimizer_kind::sgd, optimizer_kind::momentum}) {
    test::heard_run heard;
    train_options options{.epochs = 2, .optimizer = by};
    options.observers.push_back(&heard);
    const train_result run =
        train_ensemble(logistic{}, rows.view(), serial_engine{}, ensemble_options{.models = 3}, options);
    EXPECT_THAT(heard.notes, testing::IsSupersetOf({testing::HasSubstr("has an entry other than 0"),
                                                    testing::HasSubstr("no example has changed a parameter")}));
    EXPECT_EQ(run.notes, heard.notes);
  }
}

TEST_F(several_models_by_one_thread, whose_weights_are_averaged_do_not_claim_to_have_converged) {
  const train_options options{.epochs = 200, .l2 = 1e-2, .tolerance = 1e-2};
  ensemble_options shards{.models = 2, .rows = ensemble_rows::shards};
  EXPECT_EQ(ensemble(logistic{}, shards, options).status, run_status::converged);
  shards.answer = ensemble_answer::mean_weights;
  const train_result mean = ensemble(logistic{}, shards, options);
  EXPECT_EQ(mean.status, run_status::no_progress);
  EXPECT_FALSE(mean.gap);
}

TEST_F(several_models, that_are_trained_one_by_one_refuse_what_they_have_no_use_for) {
  train_options options{.epochs = 1, .optimizer = optimizer_kind::adagrad};
  options.sharing = sharing_kind::direct;
  EXPECT_THROW(one_vs_rest(logistic{}, options, threads(2)), config_error);
}

TEST_F(several_models, that_are_trained_one_by_one_end_at_a_target) {
  train_options options{.epochs = 9, .step = {.initial = 0.02}, .optimizer = optimizer_kind::momentum};
  test::heard_run heard;
  options.observers.push_back(&heard);
  ensemble(logistic{}, {.models = 3}, options);
  ASSERT_EQ(heard.epochs.size(), 9u);
  options.target = {.what = "train_loss", .value = heard.epochs[3].train_loss};
  const train_result run = ensemble(logistic{}, {.models = 3}, options, threads(2));
  EXPECT_EQ(run.status, run_status::target);
  EXPECT_EQ(run.epochs, 4u);
  EXPECT_TRUE(run.seconds_to_target);
}

TEST_F(several_models, that_are_trained_one_by_one_and_stopped_have_the_state_of_the_last_whole_epoch) {
  for (const std::size_t epochs : {0u, 2u}) {
    train_options options{.epochs = 9, .step = {.initial = 0.02}, .optimizer = optimizer_kind::momentum};
    std::stop_source source;
    stopping_logistic model;
    bool told = epochs == 0;
    model.source = &source;
    model.told = &told;
    options.stop = source.get_token();
    std::vector<float> whole;
    options.observers.push_back([&](const epoch_report& e) {
      whole = e.parameters();
      told = e.epoch == epochs;
    });
    const train_result run = one_vs_rest(model, options);
    EXPECT_EQ(run.status, run_status::stopped);
    EXPECT_EQ(run.epochs, epochs);
    if (epochs == 0) whole.assign(run.parameters.size(), 0.0f);
    EXPECT_EQ(run.parameters, whole);
  }
}

TEST_F(several_models_by_one_thread, that_are_trained_one_by_one_tell_each_of_their_epochs) {
  const std::vector<std::function<void(train_options&)>> ways{
      [](train_options& o) { o.optimizer = optimizer_kind::momentum; },
      [](train_options& o) { o.optimizer = optimizer_kind::ftrl; }, [](train_options& o) { o.average = 0.5; }};
  for (std::size_t way = 0; way < ways.size(); ++way) {
    SCOPED_TRACE(way);
    train_options options{.epochs = 12, .step = {.initial = 0.02}, .test = two_labels.view().slice(0, 90)};
    ways[way](options);
    test::heard_run heard;
    std::vector<float> last;
    options.observers.push_back([&](const epoch_report& e) { last = e.parameters(); });
    options.observers.push_back(&heard);
    const train_result run = ensemble(logistic{}, {.models = 3}, options);
    ASSERT_EQ(heard.epochs.size(), 12u);
    for (std::size_t e = 1; e <= 12; ++e) {
      const epoch_report& told = heard.epochs[e - 1];
      EXPECT_EQ(told.epoch, e);
      EXPECT_EQ(told.examples, 3 * 900 * e);
      EXPECT_TRUE(told.test.has_value());
      EXPECT_GT(told.train_loss, 0.0);
      EXPECT_LT(told.train_loss, std::log(2.0) * 1.5);
    }
    EXPECT_LT(heard.epochs[11].train_loss, heard.epochs[0].train_loss);
    EXPECT_EQ(last, run.parameters);
    EXPECT_THAT(heard.notes, testing::Contains(testing::HasSubstr("one by one")));
  }
}

TEST_F(several_models_by_one_thread, whose_weights_are_averaged_tell_the_loss_of_the_mean) {
  train_options options{.epochs = 2, .bias = true};
  double told = 0.0;
  options.observers.push_back([&](const epoch_report& e) { told = e.train_loss; });
  const ensemble_options averaged{.models = 8, .answer = ensemble_answer::mean_weights};
  const train_result run = ensemble(logistic{}, averaged, options);
  EXPECT_DOUBLE_EQ(told, run.train_loss);
  options.observers.clear();
  const train_result parts = ensemble(logistic{}, {.models = 8}, options);
  EXPECT_NE(parts.train_loss, run.train_loss);
}

// If there are enough models, each worker has some of its own.
TEST_F(several_models, that_are_many_have_the_bits_of_a_serial_run_by_any_number_of_threads) {
  const train_options options{.epochs = 2, .bias = true};
  const train_result serial = ensemble(hinge_svm{}, {.models = 33}, options);
  for (const std::size_t workers : {2u, 3u}) {
    const train_result run = ensemble(hinge_svm{}, {.models = 33}, options, threads(workers));
    EXPECT_EQ(run.workers, workers);
    EXPECT_EQ(run.parameters, serial.parameters);
  }
}

TEST_F(several_models_by_one_thread, of_a_bootstrap_are_as_by_rows_of_these_weights) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr std::size_t models = 5;
  for (const double l1 : {0.0, 1e-3}) {
    const train_options options{
        .epochs = 3, .step = {.initial = 0.2}, .l2 = 1e-2, .l1 = l1, .bias = true, .seed = seed, .batch = 1};
    const train_result together = ensemble(logistic{}, {.models = models}, options);
    for (std::size_t k = 0; k < models; ++k) {
      const lane_rows lane = detail::lane_rows_of(detail::plan_of({.models = models}), options, k);
      std::vector<float> weight;
      for (std::size_t r = 0; r < 900; ++r) weight.push_back(bootstrap_count(lane.bootstrap, r));
      sparse_view weighed = two_labels.view();
      weighed.weight = weight;
      const std::vector<float> alone = train(logistic{}, weighed, serial_engine{}, options).parameters;
      const std::vector<float> own = part(together.parameters, k, models);
      ASSERT_EQ(own.size(), alone.size());
      for (std::size_t j = 0; j < own.size(); ++j) ASSERT_NEAR(own[j], alone[j], 1e-5) << "model " << k;
    }
    EXPECT_NE(part(together.parameters, 0, models), part(together.parameters, 1, models));
  }
}

TEST_F(several_models, of_shards_are_trained_on_theirs_and_averaged) {
  const train_options options{.epochs = 3, .l2 = 1e-3, .bias = true};
  constexpr std::size_t models = 4;
  std::vector<std::vector<float>> alone;
  for (std::size_t k = 0; k < models; ++k)
    alone.push_back(
        train(logistic{}, two_labels.view().slice(900 * k / models, 900 * (k + 1) / models), serial_engine{}, options)
            .parameters);
  ensemble_options shards{.models = models, .rows = ensemble_rows::shards};
  const train_result several = ensemble(logistic{}, shards, options);
  for (std::size_t k = 0; k < models; ++k) EXPECT_EQ(part(several.parameters, k, models), alone[k]);
  EXPECT_GT(several.search_seconds, 0.0);
  EXPECT_LT(several.search_seconds + several.train_seconds, several.wall_seconds);
  shards.answer = ensemble_answer::mean_weights;
  const train_result mean = ensemble(logistic{}, shards, options, threads(3));
  ASSERT_EQ(mean.parameters.size(), alone[0].size());
  for (std::size_t j = 0; j + 1 < alone[0].size(); ++j) {  // the constant term, the last one, suits all rows
    double sum = 0.0;
    for (const std::vector<float>& w : alone) sum += static_cast<double>(w[j]);
    EXPECT_EQ(mean.parameters[j], static_cast<float>(sum / models));
  }
}

TEST_F(several_models, that_are_trained_one_by_one_end_where_one_diverges) {
  const ensemble_options shards{.models = 4, .rows = ensemble_rows::shards};
  const train_options options{.epochs = 3, .step = {.initial = 1e30}, .l2 = 0.0};
  const train_result several = ensemble(least_squares{}, shards, options);
  EXPECT_EQ(several.status, run_status::diverged);
  EXPECT_EQ(several.epochs, 1u);
  EXPECT_EQ(several.examples, 900u);
}

TEST_F(several_models_by_one_thread, are_saved_and_predict_the_same) {
  const test::scratch_folder folder;
  const train_options options{.epochs = 3, .step = {.initial = 0.5}, .bias = true};
  const train_result run = one_vs_rest(logistic{}, options);
  for (const char* const name : {"/model.txt", "/model.bin"}) {
    const std::string path = (folder.path().string() + name);
    save_one_vs_rest(path, run, all, logistic{});
    const predictor read = predictor_of(load_model(path), path);
    EXPECT_TRUE(std::ranges::equal(read.parameters(), run.parameters));
    EXPECT_EQ(read.models(), classes);
    EXPECT_TRUE(read.scores_classes());
    for (const ensemble_answer answer : {ensemble_answer::mean, ensemble_answer::vote, ensemble_answer::mean_weights}) {
      const ensemble_options how{.models = 3, .answer = answer};
      const train_result trained = ensemble(hinge_svm{}, how, options);
      save_ensemble(path, trained, two_labels, hinge_svm{}, how);
      const predictor again = predictor_of(load_model(path), path);
      EXPECT_EQ(again.models(), answer == ensemble_answer::mean_weights ? 1u : 3u);
      EXPECT_TRUE(std::ranges::equal(again.parameters(), trained.parameters));
    }
  }
}

TEST_F(several_models, refuse_what_does_not_suit) {
  EXPECT_THROW(one_vs_rest(least_squares{}, {}), config_error);
  EXPECT_THROW(train_one_vs_rest(logistic{}, two_labels, serial_engine{}), config_error);
  EXPECT_THROW(one_vs_rest(logistic{}, {.weight_positive = 2.0}), config_error);
  EXPECT_THROW(one_vs_rest(logistic{}, {.rounds = 2}), config_error);
  EXPECT_THROW(ensemble(logistic{}, {.models = 1}, {}), config_error);
  EXPECT_THROW(ensemble(logistic{}, {.models = 901, .rows = ensemble_rows::shards}, {}), config_error);
  EXPECT_THROW(ensemble(least_squares{}, {.answer = ensemble_answer::vote}, {}), config_error);
}

/// Stopped by an observer after an epoch, or by a request in the middle of the next one.
TEST_F(several_models, stop_with_what_whole_passes_have_left) {
  const train_result two =
      one_vs_rest(logistic{}, {.epochs = 2, .step = {.initial = 0.3, .kind = schedule_kind::constant}});
  for (const stop_cause by : {stop_cause::observer, stop_cause::request}) {
    std::stop_source source;
    bool told = false;
    const stopping_logistic model{{}, &source, &told};
    train_options options{.epochs = 9, .step = {.initial = 0.3}, .stop = source.get_token()};
    options.observers.push_back([&](const epoch_report& e) {
      told = e.epoch == 2 && by == stop_cause::request;
      return e.epoch == 2 && !told ? observer_answer::stop : observer_answer::go_on;
    });
    const train_result stopped = one_vs_rest(model, options);
    EXPECT_EQ(stopped.status, run_status::stopped);
    EXPECT_EQ(stopped.stopped_by, by);
    EXPECT_EQ(stopped.epochs, 2u);
    EXPECT_EQ(stopped.parameters, two.parameters);
  }
}

// A blow-up that stays finite is a divergence, too.
TEST_F(several_models_by_one_thread, that_end_worse_than_they_began_have_diverged) {
  test::toy_rows any_label = all;  // nothing that could be learned by steps of any size
  for (std::size_t r = 0; r < any_label.rows(); ++r) any_label.label[r] = r % 2 == 0 ? 1.0f : -1.0f;
  test::heard_run heard;
  train_options options{.epochs = 2,
                        .step = {.initial = 1000.0, .kind = schedule_kind::constant},
                        .l2 = 0.0,
                        .batch = 1,
                        .observers = {&heard}};
  const auto trained = [&] {
    return train_ensemble(logistic{}, any_label.csr().view(), serial_engine{}, {.models = 2}, options);
  };
  const train_result run = trained();
  EXPECT_EQ(run.status, run_status::diverged);
  EXPECT_TRUE(std::isfinite(run.objective));
  EXPECT_THAT(heard.notes, testing::Contains(testing::HasSubstr("model 1 of 2: the run ends worse than it began: ")));
  options.step.initial = 1e-3;
  EXPECT_EQ(trained().status, run_status::done);
}

TEST_F(several_models_by_one_thread, that_diverge_say_so) {
  const train_result run =
      ensemble(least_squares{}, {.models = 2}, {.epochs = 20, .step = {.initial = 1e6}, .l2 = 0.0, .batch = 1});
  EXPECT_EQ(run.status, run_status::diverged);
  EXPECT_LT(run.epochs, 20u);
}

}  // namespace
}  // namespace hogwild
