// SPDX-License-Identifier: Apache-2.0
// Trials that the engine trains side by side against runs of their own.
#include <hogwild/detail/search/trials_side_by_side.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/changed_options.hpp"
#include "support/refusal.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

struct trials_side_by_side_test : testing::Test {
  side_by_side_trial trial_of(double step, double l1, double l2, const train_options& common = {.epochs = 6}) const {
    side_by_side_trial t{.traits = traits_of(model), .options = common, .rows = rows.view()};
    t.make = [this](const sparse_view& of, const train_options& o) { return prepare(model, of, o); };
    t.options.step = {.initial = step, .kind = schedule_kind::constant};
    t.options.l1 = l1, t.options.l2 = l2;
    t.options.test = test_rows.view();
    t.alike = l1 > 0.0 ? "with l1" : "";
    return t;
  }
  std::vector<side_by_side_trial> some() const {
    return {trial_of(0.5, 0.0, 1e-4), trial_of(0.1, 0.0, 1e-2), trial_of(0.3, 1e-4, 0.0), trial_of(0.2, 1e-3, 1e-3),
            trial_of(0.4, 0.0, 0.0)};
  }
  static trials_side_by_side::settings how(std::size_t threads = 2) {
    return {.threads = threads, .keeps_parameters = true};
  }
  static std::vector<std::size_t> all(std::size_t n) {
    std::vector<std::size_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }
  train_result alone(const side_by_side_trial& t) const {
    return train(model, rows.view(), serial_engine{}, t.options);
  }

  logistic model;
  test::toy_rows toy = test::planted_classification({.rows = 700, .columns = 60, .per_row = 9});
  test::toy_rows other = test::planted_classification({.rows = 300, .columns = 60, .per_row = 9});
  csr_rows rows = toy.csr(), test_rows = other.csr();
};

TEST_F(trials_side_by_side_test, with_one_row_at_a_time_they_are_runs_of_their_own) {
  trials_side_by_side trials(some(), how());
  trials.train(all(5), 6);
  for (const std::size_t k : {2u, 3u}) {
    const train_result run = alone(some()[k]);
    EXPECT_EQ(trials.outcome(k).found, run.parameters) << k;
    EXPECT_NEAR(trials.outcome(k).measured.loss, run.test->loss, 1e-6) << k;
    EXPECT_EQ(trials.outcome(k).measured.accuracy, run.test->accuracy) << k;
  }
  // Others see up to twice as many rows at a time.
  for (const std::size_t k : {0u, 1u, 4u})
    EXPECT_NEAR(trials.outcome(k).measured.loss, alone(some()[k]).test->loss, 0.01);
}

TEST_F(trials_side_by_side_test, whom_they_are_trained_with_and_breaks_do_not_matter) {
  trials_side_by_side together(some(), how(1)), apart(some(), how(2));
  together.train(all(5), 6);
  for (const std::size_t k : all(5)) {
    for (const std::size_t until : {1u, 4u, 6u}) apart.train(std::vector{k}, until);
    EXPECT_EQ(apart.outcome(k).found, together.outcome(k).found) << k;
    EXPECT_EQ(apart.outcome(k).measured.loss, together.outcome(k).measured.loss) << k;
    EXPECT_EQ(apart.outcome(k).epochs, 6u);
    apart.forget(k);
    EXPECT_TRUE(apart.outcome(k).found.empty());
  }
}

// Each option has the effect that it has on a run, or is refused as there, or a trial that has it is trained apart.
TEST_F(trials_side_by_side_test, no_option_is_lost_in_silence) {
  const std::set<std::string_view> files{"record", "checkpoint", "resume"}, of_train{"l2_by_folds"},
      by_nature{"reproducible"};  // trials repeat, with other bits than a run of virtual workers
  std::size_t side_by_side = 0;
  for (auto& [name, ranks, resume, options, changed] : test::changed_options(trial_of(0.3, 1e-4, 0.0).options)) {
    if (!changed || files.contains(name) || of_train.contains(name) || by_nature.contains(name)) continue;
    if (name == "measure_every") options.measure_every = 4;
    side_by_side_trial t = trial_of(0.3, 1e-4, 0.0);
    t.options = options;
    if (!trials_side_by_side::suits(t.options, t.traits, t.rows)) continue;
    ++side_by_side;
    trials_side_by_side trials({t}, how());
    std::optional<train_result> run;
    const std::string refused = test::refusal_of<error>([&] { run = alone(t); }, "");
    const std::string of_trial = test::refusal_of<error>([&] { trials.train(all(1), t.options.epochs); }, "");
    EXPECT_EQ(of_trial.empty() ? trials.outcome(0).refused : of_trial, refused) << name;
    if (refused.empty()) {
      EXPECT_EQ(trials.outcome(0).found, run->parameters) << name;
    }
  }
  EXPECT_GT(side_by_side, 20u);
}

/// Models whose rows are trained one by one.
struct trials_row_by_row : trials_side_by_side_test {
  /// Rows that are trained on, and others.
  void take(test::toy_rows trained, test::toy_rows held) {
    mine = std::move(trained), others = std::move(held);
    training.emplace(mine.csr()), measured.emplace(others.csr());
  }
  /// Steps of 0 are searched. The model outlives the trials.
  template <class M>
  std::vector<side_by_side_trial> of(const M& m, std::initializer_list<double> steps,
                                     std::initializer_list<double> several_l2, const train_options& common = {}) {
    std::vector<side_by_side_trial> asked;
    for (const double step : steps)
      for (const double l2 : several_l2) {
        side_by_side_trial t{.traits = traits_of(m), .options = common, .rows = training->view()};
        t.make = [&m](const sparse_view& rows_of_it, const train_options& o) { return prepare(m, rows_of_it, o); };
        t.options.epochs = 6, t.options.l2 = l2;
        if (step > 0.0) t.options.step = {.initial = step, .kind = schedule_kind::constant};
        t.options.test = measured->view();
        EXPECT_TRUE(trials_side_by_side::suits(t.options, t.traits, t.rows));
        asked.push_back(std::move(t));
      }
    return asked;
  }
  template <class M>
  void expect_runs_of_their_own(const M& m, const std::vector<side_by_side_trial>& asked) {
    trials_side_by_side trials(asked, how());
    for (const std::size_t until : {2u, 6u}) trials.train(all(asked.size()), until);
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const train_result run = hogwild::train(m, training->view(), serial_engine{}, asked[k].options);
      EXPECT_EQ(trials.outcome(k).refused, "") << k;
      EXPECT_EQ(trials.outcome(k).found, run.parameters) << k;
      EXPECT_NEAR(trials.outcome(k).measured.loss, run.test->loss, 1e-6 * run.test->loss) << k;
      EXPECT_EQ(trials.outcome(k).measured.accuracy, run.test->accuracy) << k;
    }
  }
  template <class M, class Engine>
  void expect_as_well_as_runs(const M& m, std::vector<side_by_side_trial> asked, const Engine& engine) {
    for (side_by_side_trial& t : asked) t.engine = [engine] { return std::make_shared<engine_of<Engine>>(engine); };
    trials_side_by_side trials(asked, how(1));
    trials.train(all(asked.size()), 6);
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const train_result run = hogwild::train(m, training->view(), engine, asked[k].options);
      EXPECT_EQ(trials.outcome(k).refused, "") << k;
      EXPECT_NEAR(trials.outcome(k).measured.loss, run.test->loss, 1e-3 * run.test->loss) << k;
    }
  }

  test::toy_rows mine{}, others{};
  std::optional<csr_rows> training{}, measured{};
};

struct trials_of_classes : trials_row_by_row {
  trials_of_classes() {
    take(test::planted_classes({.rows = 700, .columns = 60, .per_row = 9}, 5),
         test::planted_classes({.rows = 300, .columns = 60, .per_row = 9, .seed = 2}, 5));
  }
  softmax classes{.features = 60, .classes = 5, .bias = true};
};

TEST_F(trials_of_classes, are_runs_of_their_own) {
  expect_runs_of_their_own(classes, of(classes, {0.5, 0.1, 0.02, 0.0}, {0.0, 1e-3, 3.0}));
}

TEST_F(trials_of_classes, are_trained_by_an_engine_as_its_runs_are) {
  for (const sync_rule rule : {sync_rule::gradients, sync_rule::average})
    expect_as_well_as_runs(classes, of(classes, {0.5, 0.1}, {0.0, 1e-3}),
                           sync_engine{.workers = 2, .rule = rule, .pin = false});
}

struct trials_of_fm : trials_row_by_row {
  trials_of_fm() {
    take(test::planted_classification({.rows = 700, .columns = 60, .per_row = 9}),
         test::planted_classification({.rows = 300, .columns = 60, .per_row = 9, .seed = 2}));
  }
  factorization_machine machine{.features = 60, .factors = 6};
};

TEST_F(trials_of_fm, are_runs_of_their_own) {
  expect_runs_of_their_own(machine, of(machine, {0.2, 0.05, 0.01}, {0.0, 1e-3, 3.0}));
  expect_runs_of_their_own(machine,
                           of(machine, {0.2, 0.05, 0.01}, {0.0, 1e-3, 3.0}, {.optimizer = optimizer_kind::sgd}));
}

TEST_F(trials_of_fm, are_trained_by_an_engine_as_its_runs_are) {
  expect_as_well_as_runs(machine, of(machine, {0.1}, {0.0, 1e-3}),
                         sync_engine{.workers = 2, .rule = sync_rule::average, .pin = false});
}

TEST_F(trials_of_fm, have_no_other_optimisers_and_no_l1) {
  const model_traits traits = traits_of(machine);
  for (const optimizer_kind by : {optimizer_kind::row_adagrad, optimizer_kind::momentum, optimizer_kind::adam})
    EXPECT_FALSE(trials_side_by_side::suits({.optimizer = by}, traits, training->view()));
  EXPECT_FALSE(trials_side_by_side::suits({.l1 = 1e-4, .optimizer = optimizer_kind::sgd}, traits, training->view()));
  EXPECT_FALSE(trials_side_by_side::suits({.optimizer = optimizer_kind::adagrad}, traits_of(model), training->view()));
}

// Each by a rule of its own: a distance from the optimum, or epochs without progress.
TEST_F(trials_side_by_side_test, a_tolerance_ends_a_trial_as_it_ends_a_run) {
  const train_options until{.epochs = 100, .tolerance = 0.3};
  train_options seldom = until, flat = until;
  seldom.measure_every = 3;
  flat.tolerance = 1e-2;
  flat.tolerance_epochs = 2;
  const std::vector<side_by_side_trial> asked{trial_of(0.3, 1e-2, 0.0, until), trial_of(0.05, 1e-2, 0.0, seldom),
                                              trial_of(0.3, 1e-3, 0.0, flat),
                                              trial_of(0.3, 1e-3, 0.0, {.epochs = 100})};
  trials_side_by_side trials(asked, how());
  for (const std::size_t epochs : {4u, 100u}) trials.train(all(4), epochs);
  for (const std::size_t k : {0u, 1u, 2u}) {
    const train_result run = alone(asked[k]);
    EXPECT_EQ(run.status, k == 2 ? run_status::no_progress : run_status::converged) << run.gap.value_or(-1.0);
    EXPECT_EQ(trials.outcome(k).ended, run.status) << k;
    EXPECT_EQ(trials.outcome(k).trained, run.epochs) << k;
    EXPECT_EQ(trials.outcome(k).found, run.parameters) << k;
    EXPECT_EQ(trials.outcome(k).epochs, 100u);
  }
  EXPECT_EQ(trials.outcome(3).trained, 100u);
}

TEST_F(trials_side_by_side_test, what_cannot_be_trained_is_told_and_diverges_alone) {
  const std::vector<side_by_side_trial> asked{trial_of(0.5, 0.0, 4.0), trial_of(-1.0, 0.0, 0.0),
                                              trial_of(0.5, 0.0, 0.0)};
  trials_side_by_side trials(asked, how());
  trials.train(all(3), 6);
  EXPECT_FALSE(trials.outcome(0).refused.empty());
  EXPECT_FALSE(trials.outcome(1).refused.empty());
  EXPECT_EQ(trials.outcome(0).epochs, 0u);
  EXPECT_TRUE(trials.outcome(2).refused.empty());
  EXPECT_TRUE(std::isfinite(trials.outcome(2).measured.loss));
}

TEST_F(trials_side_by_side_test, a_stop_leaves_them_as_they_were) {
  std::stop_source stop;
  trials_side_by_side trials(some(), {.threads = 2, .stop = stop.get_token()});
  trials.train(all(5), 2);
  const double before = trials.outcome(0).measured.loss;
  stop.request_stop();
  trials.train(all(5), 6);
  EXPECT_EQ(trials.outcome(0).epochs, 2u);
  EXPECT_EQ(trials.outcome(0).measured.loss, before);
}

TEST_F(trials_side_by_side_test, by_the_workers_of_an_engine_they_end_as_well) {
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  const sync_engine in_lockstep{.workers = 2, .rule = sync_rule::average, .pin = false};
  const auto expect_as_well = [&](const auto& engine) {
    std::vector<side_by_side_trial> asked = some();
    for (side_by_side_trial& t : asked)
      t.engine = [engine] { return std::make_shared<engine_of<std::remove_cvref_t<decltype(engine)>>>(engine); };
    trials_side_by_side trials(asked, how(1));
    for (const std::size_t until : {2u, 6u}) trials.train(all(5), until);
    for (const std::size_t k : all(5))
      EXPECT_LT(trials.outcome(k).measured.loss, 1.1 * alone(asked[k]).test->loss) << "trial " << k;
  };
  expect_as_well(two);
  expect_as_well(in_lockstep);
}

TEST_F(trials_side_by_side_test, that_are_reproducible_have_the_same_bits_by_any_number_of_workers) {
  const auto by = [&](std::size_t workers, bool together) {
    std::vector<side_by_side_trial> asked = some();
    for (side_by_side_trial& t : asked) {
      t.options.reproducible = true;
      t.engine = [workers] {
        return std::make_shared<engine_of<thread_engine>>(
            thread_engine{.workers = workers, .team = thread_team_kind::std, .pin = false});
      };
    }
    trials_side_by_side trials(asked, how(1));
    if (together) trials.train(all(5), 6);
    for (const std::size_t k : all(5)) trials.train(std::vector{k}, 6);
    std::vector<std::vector<float>> found;
    for (const std::size_t k : all(5)) found.push_back(trials.outcome(k).found);
    return found;
  };
  const auto expected = by(1, true);
  EXPECT_EQ(by(2, true), expected);
  EXPECT_EQ(by(2, false), expected);
}

TEST_F(trials_side_by_side_test, what_an_engine_refuses_is_told_with_the_trial) {
  std::vector<side_by_side_trial> asked{trial_of(0.3, 1e-4, 0.0), trial_of(0.3, 0.0, 0.0)};
  for (side_by_side_trial& t : asked)
    t.engine = [] { return std::make_shared<engine_of<sync_engine>>(sync_engine{.workers = 2, .pin = false}); };
  trials_side_by_side trials(asked, how(1));
  trials.train(all(2), 2);
  EXPECT_NE(trials.outcome(0).refused.find("not for several side by side"), std::string::npos)
      << trials.outcome(0).refused;
  EXPECT_EQ(trials.outcome(1).epochs, 2u);
}

// Folds of one dataset; each trial holds out one.
struct trials_of_folds : trials_side_by_side_test {
  static constexpr std::uint32_t folds = 3;

  trials_of_folds() {
    auto dealt = std::make_shared<std::vector<std::uint8_t>>();
    for (std::size_t r = 0; r < toy.label.size(); ++r)
      dealt->push_back(static_cast<std::uint8_t>((r * r + r / 5) % folds));
    fold = dealt;
    common.bias = true;
    common.bias_rate = 0.5;  // else the rows decide, and differ where they are cut
    common.order = row_order::sequential;
  }
  side_by_side_trial holding_out(std::uint32_t f, double step, double l1, double l2) const {
    side_by_side_trial t = trial_of(step, l1, l2, common);
    t.options.test.reset();
    t.folds = fold;
    t.held_out = f;
    return t;
  }
  /// `each` steps, by folds.
  std::vector<side_by_side_trial> several(std::size_t each) const {
    std::vector<side_by_side_trial> asked;
    for (std::size_t k = 0; k < each; ++k)
      for (std::uint32_t f = 0; f < folds; ++f)
        asked.push_back(holding_out(f, 0.4 / static_cast<double>(k + 1), 0.0, k % 2 == 0 ? 1e-3 : 0.0));
    return asked;
  }
  std::vector<std::size_t> rows_of(std::uint32_t f, bool held_out) const {
    std::vector<std::size_t> numbers;
    for (std::size_t r = 0; r < fold->size(); ++r)
      if (((*fold)[r] == f) == held_out) numbers.push_back(r);
    return numbers;
  }

  std::shared_ptr<const std::vector<std::uint8_t>> fold;
  train_options common{.epochs = 5};
};

TEST_F(trials_of_folds, are_as_on_rows_from_which_the_fold_is_cut) {
  std::vector<float> weight;
  for (std::size_t r = 0; r < fold->size(); ++r) weight.push_back(r % 2 == 0 ? 3.0f : 1.0f);
  for (const bool weighed : {false, true}) {
    if (weighed) rows.set_weights(weight);
    std::vector<side_by_side_trial> asked;
    for (std::uint32_t f = 0; f < folds; ++f) asked.push_back(holding_out(f, 0.3, 1e-3, 1e-3));
    trials_side_by_side trials(asked, how());
    trials.train(all(folds), 2);
    trials.train(all(folds), 5);
    for (std::uint32_t f = 0; f < folds; ++f) {
      const sparse_dataset left = sparse_dataset::copy_of(rows.view(), rows_of(f, false));
      const sparse_dataset out = sparse_dataset::copy_of(rows.view(), rows_of(f, true));
      train_options o = asked[f].options;
      sparse_view measured = out.view();
      measured.weight = {};
      o.test = measured;
      const train_result run = train(model, left.view(), serial_engine{}, o);
      const side_by_side_outcome& found = trials.outcome(f);
      EXPECT_EQ(found.refused, "");
      // Rows that weigh the same have the same bits; else weights are in other units.
      if (!weighed) {
        EXPECT_EQ(found.found, run.parameters) << f;
      }
      EXPECT_NEAR(found.measured.loss, run.test->loss, weighed ? 0.02 : 1e-6) << f;
      if (!weighed) {
        EXPECT_EQ(found.measured.accuracy, run.test->accuracy) << f;
        EXPECT_EQ(found.measured.auc, run.test->auc) << f;
      }
    }
  }
}

// Trials are grouped by fold or mixed, in wide and in narrow passes, whole or with breaks.
TEST_F(trials_of_folds, do_not_notice_whom_they_are_trained_with) {
  for (const std::size_t each : {2u, 9u, 20u}) {
    const std::size_t n = each * folds;
    trials_side_by_side one(several(each), how(1)), two(several(each), how(2)), three(several(each), how(3));
    one.train(all(n), 5);
    two.train(all(n), 1);
    two.train(all(n), 5);
    for (const std::size_t k : all(n)) three.train(std::vector{k}, 5);
    for (const std::size_t k : all(n)) {
      EXPECT_EQ(two.outcome(k).found, one.outcome(k).found) << k << " of " << each;
      EXPECT_EQ(three.outcome(k).found, one.outcome(k).found) << k << " of " << each;
      EXPECT_EQ(two.outcome(k).measured.loss, one.outcome(k).measured.loss);
      EXPECT_EQ(three.outcome(k).measured.loss, one.outcome(k).measured.loss);
    }
  }
}

TEST_F(trials_of_folds, end_by_a_tolerance_of_what_they_are_trained_on) {
  common.epochs = 100;
  common.tolerance = 0.3;
  const std::vector<side_by_side_trial> asked{holding_out(0, 0.3, 1e-2, 0.0), holding_out(2, 0.3, 1e-2, 0.0)};
  trials_side_by_side trials(asked, how());
  trials.train(all(2), 100);
  for (const std::size_t k : {0u, 1u}) {
    const sparse_dataset left = sparse_dataset::copy_of(rows.view(), rows_of(asked[k].held_out, false));
    const train_result run = train(model, left.view(), serial_engine{}, asked[k].options);
    EXPECT_EQ(run.status, run_status::converged) << run.gap.value_or(-1.0);
    EXPECT_EQ(trials.outcome(k).trained, run.epochs) << k;
  }
}

TEST_F(trials_of_folds, are_not_sorted_where_nobody_asks_for_the_curve) {
  trials_side_by_side trials(several(1), {.threads = 1, .sorts = false});
  trials.train(all(folds), 5);
  EXPECT_TRUE(trials.outcome(0).measured.accuracy && trials.outcome(0).measured.f1);
  EXPECT_FALSE(trials.outcome(0).measured.auc);
}

TEST_F(trials_of_folds, have_steps_that_are_given) {
  side_by_side_trial t = holding_out(0, 0.3, 0.0, 0.0);
  EXPECT_TRUE(trials_side_by_side::suits_folds(t));
  t.engine = [] { return std::make_shared<engine_of<thread_engine>>(thread_engine{}); };
  EXPECT_FALSE(trials_side_by_side::suits_folds(t));
  t = holding_out(0, 0.3, 0.0, 0.0);
  t.options.step = {};
  EXPECT_FALSE(trials_side_by_side::suits_folds(t));
}

TEST_F(trials_side_by_side_test, what_does_not_go_side_by_side_is_told) {
  const auto suits = [&](const train_options& o) {
    return trials_side_by_side::suits(o, traits_of(model), rows.view());
  };
  EXPECT_TRUE(suits({}));
  EXPECT_TRUE(suits({.l1 = 0.1, .tolerance = 0.1}));
  EXPECT_FALSE(suits({.optimizer = optimizer_kind::adagrad}));
  EXPECT_FALSE(suits({.average = 0.5}));
  EXPECT_FALSE(suits({.step = {.kind = schedule_kind::plateau}}));
}

}  // namespace
}  // namespace hogwild
