// SPDX-License-Identifier: Apache-2.0
// The state of an optimiser that a run leaves and another begins with, through train().
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>
#include <hogwild/trainer.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

/// Rows in the stored order and a constant step: then an epoch depends on nothing but what the one before it has left.
/// 256 rows, so that products with their number are exact.
struct optimizer_states : testing::Test {
  const test::kept_rows data = test::planted_classification({.rows = 256, .columns = 24, .per_row = 6}, 0.2);

  train_options options(optimizer_kind by, std::size_t epochs) const {
    const double step = by == optimizer_kind::lion ? 0.003 : by == optimizer_kind::adam ? 0.01 : 0.1;
    return {.epochs = epochs,
            .step = {.initial = step, .kind = schedule_kind::constant},
            .l2 = 1e-3,
            .optimizer = by,
            .order = row_order::sequential,
            .bias = true,
            .keep_state = true};
  }

  /// The options of a run that begins with the result of another.
  static train_options beginning_with(const train_result& run, train_options options) {
    options.initial = [&run](std::span<float> w) { std::ranges::copy(run.parameters, w.begin()); };
    options.initial_state = {run.state.numbers, [&run](std::size_t k, std::span<float> values) {
                               std::ranges::copy(run.state.arrays[k], values.begin());
                             }};
    return options;
  }

  template <class M, class Engine>
  void expect_four_epochs_of_two_runs(const M& m, const Engine& engine, train_options of_one) const {
    SCOPED_TRACE(std::string(M::name) + " by " + std::string(optimizer_facts_of(*of_one.optimizer).name));
    if constexpr (!margin_model<M>) of_one.bias = false;
    of_one.epochs = 4;
    const train_result whole = train(m, data, engine, of_one);
    of_one.epochs = 2;
    const train_result first = train(m, data, engine, of_one);
    const train_result both = train(m, data, engine, beginning_with(first, of_one));
    EXPECT_EQ(both.parameters, whole.parameters);
    EXPECT_EQ(both.state.arrays, whole.state.arrays);
    EXPECT_EQ(both.state.arrays.size(), state_arrays_of(*of_one.optimizer));
    EXPECT_EQ(both.state.numbers.rows, 4.0 * 256);
    EXPECT_EQ(both.state.numbers.bias_rate, whole.state.numbers.bias_rate);
    // Without the state they would end elsewhere.
    train_options without = beginning_with(first, of_one);
    without.initial_state = {};
    if (*of_one.optimizer != optimizer_kind::ftrl) {
      EXPECT_NE(train(m, data, engine, without).parameters, whole.parameters);
    }
  }
};

TEST_F(optimizer_states, go_on_in_another_run_as_if_it_were_one) {
  for (const optimizer_facts& o : optimizers) {
    if (o.state_arrays == 0) continue;
    expect_four_epochs_of_two_runs(logistic{}, serial_engine{}, options(o.kind, 4));
    if (o.kind == optimizer_kind::ftrl) continue;  // for models with a margin
    expect_four_epochs_of_two_runs(softmax{.features = 24, .classes = 2}, serial_engine{}, options(o.kind, 4));
    expect_four_epochs_of_two_runs(factorization_machine{.features = 24, .factors = 4}, serial_engine{},
                                   options(o.kind, 4));
  }
}

TEST_F(optimizer_states, go_on_with_l1) {
  for (const optimizer_kind by : {optimizer_kind::adagrad, optimizer_kind::ftrl}) {
    train_options with_l1 = options(by, 4);
    with_l1.l1 = 0.004;
    expect_four_epochs_of_two_runs(logistic{}, serial_engine{}, with_l1);
  }
}

TEST_F(optimizer_states, go_on_by_each_engine_that_gives_the_same_bits) {
  for (const optimizer_kind by : {optimizer_kind::adagrad, optimizer_kind::adam}) {
    train_options reproducible = options(by, 4);
    reproducible.reproducible = true;
    reproducible.virtual_workers = 3;
    expect_four_epochs_of_two_runs(logistic{}, thread_engine{.workers = 2}, reproducible);
    expect_four_epochs_of_two_runs(logistic{}, sync_engine{.workers = 2, .rows = 16}, options(by, 4));
    expect_four_epochs_of_two_runs(logistic{}, sync_engine{.workers = 2, .rule = sync_rule::average, .rows = 32},
                                   options(by, 4));
  }
}

TEST_F(optimizer_states, belong_to_the_parameters_that_validation_keeps) {
  // With the other labels: the better the model, the higher their loss, so the first epoch is the best.
  test::toy_rows other = data;
  for (float& y : other.label) y = -y;
  const test::kept_rows held = std::move(other);
  train_options validated = options(optimizer_kind::adagrad, 6);
  validated.validation = held.view();
  validated.patience = 3;
  const train_result best = train(logistic{}, data, serial_engine{}, validated);
  const train_result one = train(logistic{}, data, serial_engine{}, options(optimizer_kind::adagrad, 1));
  EXPECT_EQ(best.parameters, one.parameters);
  EXPECT_EQ(best.state.arrays, one.state.arrays);
  EXPECT_EQ(best.state.numbers.rows, 256.0);

  const test::scratch_folder folder;
  validated.epochs = 2, validated.checkpoint = folder / "state";
  train(logistic{}, data, serial_engine{}, validated);
  validated.epochs = 6, validated.resume = std::exchange(validated.checkpoint, {});
  const train_result resumed = train(logistic{}, data, serial_engine{}, validated);
  EXPECT_EQ(resumed.parameters, one.parameters);
  EXPECT_EQ(resumed.state.arrays, one.state.arrays);
  EXPECT_EQ(resumed.state.numbers.rows, 256.0);
}

TEST_F(optimizer_states, are_not_kept_unless_they_are_asked_for) {
  train_options usual = options(optimizer_kind::adagrad, 1);
  usual.keep_state = false;
  EXPECT_TRUE(train(logistic{}, data, serial_engine{}, usual).state.arrays.empty());
}

/// A step that suits sums of zeros is far too short where the sums are large.
TEST_F(optimizer_states, are_there_where_a_step_is_searched) {
  const train_result first = train(logistic{}, data, serial_engine{}, options(optimizer_kind::adagrad, 4));
  train_options searching = options(optimizer_kind::adagrad, 1);
  searching.step = {};
  const train_options goes_on = beginning_with(first, searching);
  train_options without = goes_on;
  without.initial_state = {};
  EXPECT_GT(train(logistic{}, data, serial_engine{}, goes_on).step,
            train(logistic{}, data, serial_engine{}, without).step);
}

TEST_F(optimizer_states, that_do_not_suit_the_run_are_refused) {
  const train_result first = train(logistic{}, data, serial_engine{}, options(optimizer_kind::ftrl, 1));
  const auto refusal = [&](const train_options& of) {
    return test::message_of<config_error>([&] { train(logistic{}, data, serial_engine{}, of); });
  };
  const train_options begun = beginning_with(first, options(optimizer_kind::ftrl, 1));
  train_options other = begun;
  other.optimizer = optimizer_kind::adagrad;
  EXPECT_THAT(refusal(other), HasSubstr("it is that of ftrl, and this run's optimizer is adagrad"));
  other = begun;
  other.step.initial = 0.2;
  EXPECT_THAT(refusal(other), HasSubstr("its step is 0.1, and this run's is 0.2"));
  other = begun;
  other.constants.ftrl_beta = 3.0;
  EXPECT_THAT(refusal(other), HasSubstr("its ftrl_beta is"));
  other = begun;
  other.initial_state = {};
  EXPECT_THAT(refusal(other), HasSubstr("--save-state"));
  other = begun;
  other.initial = {};
  EXPECT_THAT(refusal(other), HasSubstr("give the initial parameters as well"));
  EXPECT_THAT(refusal(options(optimizer_kind::sgd, 1)), HasSubstr("sgd has no state to keep"));
  other = options(optimizer_kind::adam, 4);
  other.average = 0.5;
  EXPECT_THAT(refusal(other), HasSubstr("leave out one of the two"));
}

/// Running means would be equal up to rounding.
TEST_F(optimizer_states, go_on_in_streams) {
  const auto stream_options_of = [&](optimizer_kind by) {
    train_options o = options(by, 1);
    o.l2 = 0.0, o.labels = {-1.0, 1.0}, o.epochs = train_options().epochs, o.keep_state = false;
    o.bias = false;  // flush() moves it to where the last rows want it
    return o;
  };
  for (const optimizer_kind by : {optimizer_kind::adagrad, optimizer_kind::row_adagrad}) {
    SCOPED_TRACE(optimizer_facts_of(by).name);
    trainer<logistic> whole(logistic{}, serial_engine{}, stream_options_of(by), {.first_rows = 64});
    whole.partial_fit(data);
    whole.flush();
    train_result first;
    {
      trainer<logistic> half(logistic{}, serial_engine{}, stream_options_of(by), {.first_rows = 64});
      half.partial_fit(sparse_view(data).slice(0, 128));
      half.flush();
      first.parameters = half.parameters(), first.state = half.state();
    }
    EXPECT_EQ(first.state.numbers.rows, 128.0);
    trainer<logistic> rest(logistic{}, serial_engine{}, beginning_with(first, stream_options_of(by)),
                           {.first_rows = 64});
    rest.partial_fit(sparse_view(data).slice(128, 256));
    rest.flush();
    EXPECT_EQ(rest.state().arrays, whole.state().arrays);
    EXPECT_EQ(rest.state().numbers.rows, 256.0);
  }
}

}  // namespace
