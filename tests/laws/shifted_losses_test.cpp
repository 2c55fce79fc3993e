// SPDX-License-Identifier: Apache-2.0
// A constant added to the loss of every row changes the reported numbers, but no decision that depends on them: which
// epochs are trained again, when a run ends, which parameters it returns. To the bit, in runs that repeat.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/general_model.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "support/planned_task.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

/// M with a constant added to its loss; the gradient stays the same.
template <class M>
struct shifted : M {
  double by = 0.0;

  double loss(float margin, float label) const requires margin_model<M> { return by + M::loss(margin, label); }
  double loss(const auto& w, const sparse_row<float>& z) const requires general_model<M> { return by + M::loss(w, z); }
};

/// Counts of events, whose loss is negative where they are many: exp(m) - y m.
struct poisson {
  static constexpr std::string_view name = "poisson";
  double loss(float margin, float label) const {
    return std::exp(static_cast<double>(margin)) - static_cast<double>(label) * static_cast<double>(margin);
  }
  float derivative(float margin, float label) const { return std::exp(margin) - label; }
};

/// The decisions and the result of a run.
struct story : observer {
  observer_answer on_epoch(const epoch_report& e) override {
    epochs.push_back(e.epoch);
    return observer_answer::go_on;
  }
  void on_note(std::string_view sentence) override { notes.emplace_back(sentence); }
  std::vector<std::size_t> epochs;
  std::vector<std::string> notes;
  train_result result;

  auto decisions() const {
    return std::tie(epochs, notes, result.status, result.epochs, result.examples, result.step, result.parameters);
  }
};

/// The stories of run(model, observer) with several constants; all are the same.
template <class M, class Run>
std::vector<story> told(const M& m, const Run& run) {
  std::vector<story> all;
  for (const double by : {0.0, -20.0, 20.0, 1e3}) {
    story& one = all.emplace_back();
    one.result = run(shifted<M>{m, by}, one);
    EXPECT_NEAR(one.result.objective, all[0].result.objective + by, 1e-9);
    EXPECT_EQ(one.decisions(), all[0].decisions()) << "with " << by << " added";
  }
  return all;
}

const test::toy_rows numbers = test::planted_regression({.rows = 600, .columns = 20}, 0.5);
const test::toy_rows labels = test::planted_classification({.rows = 600, .columns = 20});

/// Counts of about 20, whose logarithms are linear except for noise.
test::toy_rows counts() {
  test::toy_rows toy = test::planted_regression({.rows = 600, .columns = 20}, 0.5);
  for (float& y : toy.label) y = std::round(std::exp(3.0f + 0.25f * y));
  return toy;
}

const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};

TEST(shifted_losses, a_tolerance_ends_the_run_where_it_does) {
  for (const double tolerance : {0.1, 0.01, 0.001}) {
    const auto runs = told(least_squares{}, [&](const auto& m, observer& o) {
      return train(m, numbers.csr(), serial_engine{},
                   {.epochs = 200, .step = {.initial = 0.1, .decay = 0.9}, .tolerance = tolerance, .observers = {&o}});
    });
    EXPECT_EQ(runs[0].result.status, run_status::no_progress);
  }
}

TEST(shifted_losses, the_search_for_a_step_finds_the_same) {
  const auto found = [](const auto& m, observer& o) {
    return train(m, labels.csr(), serial_engine{}, {.epochs = 3, .observers = {&o}});
  };
  told(logistic{}, found);
  told(softmax{.features = 20, .classes = 2}, found);
}

TEST(shifted_losses, patience_with_validation_rows_ends_where_it_does) {
  const auto runs = told(logistic{}, [&](const auto& m, observer& o) {
    return train(m, labels.csr(), serial_engine{},
                 {.epochs = 200, .step = {.initial = 2.0}, .l2 = 0.0, .validation_fraction = 0.5, .observers = {&o}});
  });
  EXPECT_EQ(runs[0].result.status, run_status::no_progress);
}

TEST(shifted_losses, virtual_workers_are_turned_back_in_the_same_epochs) {
  // With an understated curvature they sum up more than is stable.
  const auto runs = told(least_squares{}, [&](const auto& m, observer& o) {
    const csr_rows rows = numbers.csr();
    test::planned_task work = make_task(m, rows.view(), label_map{}, {.isa = choose_isa(isa::automatic)});
    work.set_sharing(access_kind::deterministic, {.rows = 64, .curvature = 1e-4, .workers = 4});
    resolved_run run{.options = {.epochs = 10, .reproducible = true, .observers = {&o}},
                     .schedule = {schedule_kind::geometric, 0.4, 0.9}};
    const auto started = start(two, *work, work.plan, {});
    return work.train(*started, run);
  });
  ASSERT_FALSE(runs[0].notes.empty());
  EXPECT_NE(runs[0].notes[0].find("overshot in epoch 1"), std::string::npos) << runs[0].notes[0];
}

TEST(shifted_losses, a_warm_start_that_has_little_left_to_gain_goes_on_alike) {
  const csr_rows rows = numbers.csr();
  const std::vector<float> found =
      train(least_squares{}, rows, serial_engine{}, {.epochs = 30, .step = {.initial = 0.1, .decay = 0.9}}).parameters;
  const auto runs = told(least_squares{}, [&](const auto& m, observer& o) {
    train_options options{.epochs = 5, .step = {.initial = 0.1, .decay = 1.0}, .reproducible = true, .observers = {&o}};
    options.initial = [&](std::span<float> w) { std::ranges::copy(found, w.begin()); };
    return train(m, rows, two, options);
  });
  // The step is larger than the last one was, so that the objective rises: by little of what had been gained before.
  EXPECT_TRUE(runs[0].notes.empty());
}

TEST(shifted_losses, a_loss_below_zero_is_no_divergence) {
  const test::toy_rows toy = counts();
  const auto runs = told(poisson{}, [&](const auto& m, observer& o) {
    return train(m, toy.csr(), two,
                 {.epochs = 20,
                  .step = {.initial = 0.02, .decay = 0.9},
                  .reproducible = true,
                  .bias = true,
                  .tolerance = 1e-4,
                  .observers = {&o}});
  });
  EXPECT_LT(runs[0].result.objective, -10.0);
  for (const std::string& note : runs[0].notes) EXPECT_EQ(note.find("trained again"), std::string::npos) << note;
}

}  // namespace
