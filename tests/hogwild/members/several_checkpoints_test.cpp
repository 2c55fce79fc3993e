// SPDX-License-Identifier: Apache-2.0
// Models that make one go on from a checkpoint as if their run had not been broken off.
#include <hogwild/several_models.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/heard_run.hpp"
#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using run_of_models = std::function<train_result(const train_options&)>;

/// Requests a stop 2,000 rows after the test has begun to count, which is in the second epoch from then on.
struct stopping_logistic : logistic {
  static constexpr std::string_view name = "stopping_logistic";
  std::stop_source* source;
  std::size_t* calls;

  float derivative(float margin, float label) const {
    if (*calls > 0 && ++*calls > 2000) source->request_stop();
    return logistic::derivative(margin, label);
  }
};

struct several_checkpoints : testing::Test {
  static constexpr test::toy_shape shape{.rows = 500, .columns = 150, .per_row = 9};
  static constexpr std::size_t epochs = 5;

  static test::toy_rows of_classes() {
    test::toy_rows made = test::planted_classification(shape);
    for (std::size_t r = 0; r < made.rows(); ++r)
      made.label[r] = static_cast<float>(made.label[r] > 0.0f ? 2 * (r % 6) : 2 * (r % 5) + 1);
    return made;
  }

  train_options usual() const { return {.epochs = epochs, .step = {.initial = 0.2}, .bias = true, .seed = seed}; }
  /// The options of a run that an observer stops after this epoch, and which leaves its state.
  train_options broken_off(train_options options, std::size_t after) const {
    options.checkpoint = file;
    options.observers.push_back(
        [after](const epoch_report& e) { return e.epoch == after ? observer_answer::stop : observer_answer::go_on; });
    return options;
  }
  train_options going_on(train_options options) const {
    options.resume = file;
    return options;
  }

  void expect_same(const train_result& resumed, const train_result& whole) const {
    EXPECT_EQ(resumed.parameters, whole.parameters);
    EXPECT_EQ(resumed.status, whole.status);
    EXPECT_EQ(resumed.epochs, whole.epochs);
    EXPECT_EQ(resumed.train_loss, whole.train_loss);
    EXPECT_EQ(resumed.objective, whole.objective);
    EXPECT_EQ(resumed.gap, whole.gap);
    EXPECT_EQ(resumed.examples, whole.examples);
    EXPECT_EQ(resumed.updates, whole.updates);
    EXPECT_EQ(resumed.nonzeros, whole.nonzeros);
    EXPECT_EQ(resumed.step, whole.step);
    EXPECT_EQ(resumed.decay, whole.decay);
  }

  /// How many models of the checkpoint have ended.
  std::size_t ended_in_file() const {
    const std::vector<double> numbers = read_checkpoint(file).get_vector<double>("standings");
    std::size_t ended = 0;
    for (std::size_t at = 6; at < numbers.size(); at += 7) ended += numbers[at] >= 0.0;
    return ended;
  }

  /// A run that is broken off after an epoch and resumed ends as one that is not.
  void expect_goes_on(const run_of_models& run, const train_options& options) const {
    const train_result whole = run(options);
    ASSERT_GE(whole.epochs, 2u);
    for (const std::size_t e : {std::size_t{1}, whole.epochs / 2, whole.epochs - 1}) {
      SCOPED_TRACE("broken off after epoch " + std::to_string(e));
      const train_result part = run(broken_off(options, e));
      ASSERT_EQ(part.stopped_by, stop_cause::observer);
      ASSERT_EQ(part.epochs, e);
      expect_same(run(going_on(options)), whole);
    }
  }

  const test::kept_rows classes = of_classes(), two_labels = test::planted_classification(shape);
  const run_of_models one_vs_rest = [this](const train_options& o) {
    return train_one_vs_rest(logistic{}, classes, serial_engine{}, o);
  };
  const run_of_models ensemble = [this](const train_options& o) {
    return train_ensemble(hinge_svm{}, two_labels, serial_engine{}, {.models = 9}, o);
  };
  const run_of_models shards = [this](const train_options& o) {
    return train_ensemble(logistic{}, two_labels, thread_engine{.workers = 2, .team = thread_team_kind::std},
                          {.models = 3, .rows = ensemble_rows::shards, .answer = ensemble_answer::mean_weights}, o);
  };
  static constexpr std::uint64_t seed = 11;
  test::scratch_folder folder;
  const std::string file = (folder / "state").string();
};

TEST_F(several_checkpoints, of_models_side_by_side_lose_nothing) {
  train_options options = usual();
  expect_goes_on(one_vs_rest, options);
  options.l1 = 1e-4;
  expect_goes_on(ensemble, options);
  options.step = {};  // found, and falling
  options.l1 = 0.0;
  options.l2 = 1e-3;
  expect_goes_on(ensemble, options);
}

TEST_F(several_checkpoints, hold_what_rules_have_learned) {
  train_options by_distance = usual();
  by_distance.epochs = 100;
  by_distance.step = {};
  by_distance.l2 = 0.01;
  by_distance.tolerance = 1e-3;
  const train_result converged = one_vs_rest(by_distance);
  ASSERT_EQ(converged.status, run_status::converged);
  expect_goes_on(one_vs_rest, by_distance);
  train_options by_validation = usual();
  by_validation.epochs = 30;
  by_validation.validation_fraction = 0.2;
  by_validation.patience = 1;
  expect_goes_on(ensemble, by_validation);
  train_options by_progress = by_distance;
  by_progress.tolerance_epochs = 2;
  expect_goes_on(one_vs_rest, by_progress);
}

TEST_F(several_checkpoints, of_models_one_by_one_lose_nothing) {
  train_options options = usual();
  options.optimizer = optimizer_kind::adam;
  options.step.initial = 0.01;
  expect_goes_on(one_vs_rest, options);
  options.average = 0.7;
  expect_goes_on(ensemble, options);
  options = usual();
  options.step = {};
  expect_goes_on(shards, options);
}

// A model that has ended stays as it is.
TEST_F(several_checkpoints, of_models_of_which_some_have_ended_lose_nothing) {
  for (const optimizer_kind by : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options = usual();
    options.epochs = 30;
    options.validation_fraction = 0.2;
    options.patience = 2;
    options.optimizer = by;
    const train_result whole = one_vs_rest(options);
    std::size_t mixed = 0;
    for (std::size_t e = 1; e < whole.epochs; ++e) {
      one_vs_rest(broken_off(options, e));
      const std::size_t ended = ended_in_file();
      if (ended == 0 || ended == 11) continue;
      ++mixed;
      expect_same(one_vs_rest(going_on(options)), whole);
    }
    EXPECT_GT(mixed, 0u);
  }
}

TEST_F(several_checkpoints, go_on_with_any_number_of_workers) {
  train_options options = usual();
  options.reproducible = true;
  const train_result whole = one_vs_rest(options);
  one_vs_rest(broken_off(options, 2));
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  EXPECT_EQ(train_one_vs_rest(logistic{}, classes, two, going_on(options)).parameters, whole.parameters);
}

TEST_F(several_checkpoints, append_to_the_record) {
  train_options options = usual();
  options.record = (folder / "record").string();
  one_vs_rest(broken_off(options, 2));
  one_vs_rest(going_on(options));
  std::size_t epochs_told = 0;
  bool resumed = false;
  std::ifstream lines(options.record);
  for (std::string line; std::getline(lines, line);) {
    epochs_told += line.find(R"("kind":"epoch")") != std::string::npos;
    resumed = resumed || line.find(R"("kind":"resumed")") != std::string::npos;
  }
  EXPECT_EQ(epochs_told, epochs);
  EXPECT_TRUE(resumed);
}

// Its losses are those of the epoch that it names.
TEST_F(several_checkpoints, of_a_run_that_is_stopped_between_measurements) {
  for (const bool one_by_one : {false, true}) {
    train_options options = usual();
    if (one_by_one) options.optimizer = optimizer_kind::momentum, options.step.initial = 0.01;
    options.measure_every = 2;
    double loss_of_2 = 0.0;
    std::stop_source source;
    std::size_t calls = 0;
    options.stop = source.get_token();
    options.observers.push_back([&](const epoch_report& e) {
      if (e.epoch == 2) loss_of_2 = e.train_loss, calls = 1;
      return observer_answer::go_on;
    });
    const stopping_logistic model{{}, &source, &calls};
    const train_result stopped = train_ensemble(model, two_labels, serial_engine{}, {.models = 3}, options);
    EXPECT_EQ(stopped.status, run_status::stopped);
    EXPECT_EQ(stopped.epochs, 2u);
    EXPECT_EQ(stopped.train_loss, loss_of_2);
  }
}

TEST_F(several_checkpoints, of_a_run_whose_time_is_over_are_of_a_measured_epoch) {
  for (const optimizer_kind by : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options = usual();
    options.optimizer = by;
    options.measure_every = 4;
    options.max_seconds = 1e-9;
    options.checkpoint = file;
    options.checkpoint_every = 7;
    const train_result run = one_vs_rest(options);
    EXPECT_EQ(run.status, run_status::done);
    EXPECT_EQ(run.stopped_by, stop_cause::time_limit);
    EXPECT_EQ(run.epochs, 1u);
    EXPECT_TRUE(std::isfinite(run.train_loss));
    EXPECT_EQ(read_checkpoint(file).epoch, 1u);
    options = usual();
    options.optimizer = by;
    options.measure_every = 4;
    EXPECT_EQ(one_vs_rest(going_on(options)).epochs, epochs);
  }
}

TEST_F(several_checkpoints, that_are_damaged_are_refused) {
  for (const optimizer_kind by : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options = usual();
    options.optimizer = by;
    one_vs_rest(broken_off(options, 2));
    const checkpoint whole = read_checkpoint(file);
    const auto refused = [&](const checkpoint& damaged) {
      write_checkpoint(file, damaged);
      return test::refusal_of<input_error>([&] { one_vs_rest(going_on(options)); });
    };
    for (const checkpoint::section& of : whole.sections) {
      if (of.bytes.size() < 16 || of.name == "model" || of.name == "same") continue;
      checkpoint shorter = whole;
      shorter.put_bytes(of.name, {of.bytes.begin(), of.bytes.end() - 8});
      EXPECT_NE(refused(shorter), "accepted") << of.name;
    }
    checkpoint other = whole;
    std::vector<double> standings = whole.get_vector<double>("standings");
    standings[6] = std::nan("");
    other.put_span<double>("standings", standings);
    EXPECT_NE(refused(other), "accepted");
    standings[6] = 0.0;  // a model that trains has ended
    other.put_span<double>("standings", standings);
    if (by != optimizer_kind::sgd) {
      EXPECT_NE(refused(other), "accepted");
    }
    other = whole;
    other.epoch = 1;
    EXPECT_NE(refused(other), "accepted");
  }
}

TEST_F(several_checkpoints, of_a_run_that_has_ended_give_its_result) {
  train_options options = usual();
  options.checkpoint = file;
  for (const run_of_models& run : {one_vs_rest, shards}) {
    const train_result whole = run(options);
    test::heard_run heard;
    train_options again = going_on(usual());
    again.observers.push_back(&heard);
    expect_same(run(again), whole);
    EXPECT_TRUE(heard.epochs.empty());
  }
}

TEST_F(several_checkpoints, let_a_run_have_more_epochs) {
  train_options options = usual(), longer = usual();
  options.step.decay = longer.step.decay = 0.5;
  longer.epochs = epochs + 3;
  options.checkpoint = file;
  one_vs_rest(options);
  const train_result resumed = one_vs_rest(going_on(longer));
  EXPECT_EQ(resumed.epochs, longer.epochs);
  EXPECT_EQ(resumed.parameters, one_vs_rest(longer).parameters);
}

// A checkpoint may be of an epoch that was not measured.
TEST_F(several_checkpoints, are_written_between_measurements) {
  for (const bool one_by_one : {false, true}) {
    train_options options = usual();
    options.epochs = 40;
    options.validation_fraction = 0.2;
    options.patience = 4;
    if (one_by_one) options.optimizer = optimizer_kind::momentum, options.step.initial = 0.01;
    options.measure_every = 2;
    const train_result whole = one_vs_rest(options);
    options.checkpoint = file;
    options.checkpoint_every = 3;
    const std::string kept = (folder / "of epoch 3").string();
    test::heard_run heard;
    options.observers.push_back(&heard);
    options.observers.push_back([&](const epoch_report& e) {
      if (e.epoch == 4) std::filesystem::copy_file(file, kept, std::filesystem::copy_options::overwrite_existing);
      return observer_answer::go_on;
    });
    EXPECT_EQ(one_vs_rest(options).parameters, whole.parameters);
    for (const std::size_t e : heard.each(&epoch_report::epoch)) EXPECT_EQ(e % 2, 0u);
    EXPECT_EQ(read_checkpoint(kept).epoch, 3u);
    options.checkpoint.clear();
    options.observers.clear();
    options.resume = kept;
    expect_same(one_vs_rest(options), whole);
  }
}

TEST_F(several_checkpoints, are_not_written_by_runs_that_diverge) {
  train_options options{.epochs = 6, .step = {.initial = 1e30}, .l2 = 0.0, .checkpoint = file};
  for (const std::optional<double> average : {std::optional<double>(), std::optional<double>(1.0)}) {
    options.average = average;
    options.optimizer = average ? optimizer_kind::sgd : optimizer_kind::momentum;
    for (const std::size_t every : {1u, 3u}) {
      options.measure_every = every;
      const train_result run = train_ensemble(least_squares{}, two_labels, serial_engine{}, {.models = 3}, options);
      EXPECT_EQ(run.status, run_status::diverged);
      EXPECT_FALSE(std::filesystem::exists(file));
    }
  }
}

TEST_F(several_checkpoints, are_refused_by_other_runs) {
  train_options options = usual();
  options.checkpoint = file;
  ensemble(options);
  const train_options again = going_on(usual());
  const auto refuses = [&](const auto& run) { return test::refusal_of(run); };
  EXPECT_NE(refuses([&] { train(hinge_svm{}, two_labels, serial_engine{}, again); }).find("several models"),
            std::string::npos);
  EXPECT_NE(refuses([&] {
              train_ensemble(hinge_svm{}, two_labels, serial_engine{}, {.models = 8}, again);
            }).find("the number of models: 9 when it was written, 8 now"),
            std::string::npos);
  EXPECT_NE(
      refuses([&] { train_one_vs_rest(hinge_svm{}, classes, serial_engine{}, again); }).find("the number of models"),
      std::string::npos);
  train_options other = again;
  other.seed = seed + 1;
  EXPECT_NE(refuses([&] { ensemble(other); }).find("seed: "), std::string::npos);
  // As many classes, but model k is of another one.
  options.labels = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  one_vs_rest(options);
  other = again;
  other.labels = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_NE(refuses([&] { one_vs_rest(other); }).find("the labels"), std::string::npos);
  options.labels.clear();
  train(hinge_svm{}, two_labels, serial_engine{}, options);
  EXPECT_NE(refuses([&] { ensemble(again); }).find("not written by a run of several models"), std::string::npos);
}

}  // namespace
}  // namespace hogwild
