// SPDX-License-Identifier: Apache-2.0
// Models, and models of folds, that ranks divide among them: the bits of one process.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cross_validation.hpp>
#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/rank_failure.hpp>
#include <hogwild/several_models.hpp>

#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;

/// Calls rank(r, member) for each of so many ranks, which are threads, and returns their results.
template <class Rank>
auto by_ranks(std::size_t n, const Rank& rank) {
  using result = decltype(rank(std::size_t{}, std::declval<collective*>()));
  std::vector<std::optional<result>> results(n);
  thread_group group(n);
  std::vector<std::jthread> threads;
  for (std::size_t r = 0; r < n; ++r)
    threads.emplace_back([&, r] {
      const auto member = group.join(r);
      results[r].emplace(rank(r, member.get()));
    });
  threads.clear();
  return results;
}

struct divided_models : testing::Test {
  divided_models() : csr(toy.csr()) { options.seed = std::random_device{}(); }

  sparse_view view() const { return csr.view(); }

  train_result trained(const several_plan& plan, const train_options& o, collective* ranks) const {
    several_plan own = plan;
    own.ranks = ranks;
    return detail::train_several_of(logistic{}, view(), std::make_shared<engine_of<serial_engine>>(serial_engine{}), o,
                                    own);
  }

  void expect_as_alone(const several_plan& plan, const train_options& o) const {
    SCOPED_TRACE("seed " + std::to_string(o.seed));
    const train_result alone = trained(plan, o, nullptr);
    for (const std::size_t n : {2u, 3u}) {
      const auto results = by_ranks(n, [&](std::size_t, collective* ranks) { return trained(plan, o, ranks); });
      for (const auto& of_rank : results) {
        EXPECT_EQ(of_rank->parameters, alone.parameters);
        EXPECT_EQ(of_rank->status, alone.status);
        EXPECT_EQ(of_rank->epochs, alone.epochs);
        EXPECT_EQ(of_rank->step, alone.step);
        EXPECT_EQ(of_rank->train_loss, alone.train_loss);
        EXPECT_EQ(of_rank->objective, alone.objective);
        // Each goes through the rows by itself, for as long as it has a model that goes on.
        EXPECT_GE(of_rank->examples, alone.examples);
        EXPECT_LE(of_rank->examples, plan.rows == member_rows_kind::shards ? alone.examples : n * alone.examples);
        ASSERT_EQ(of_rank->test.has_value(), alone.test.has_value());
        if (!alone.test) continue;
        EXPECT_EQ(of_rank->test->loss, alone.test->loss);
        EXPECT_EQ(of_rank->test->accuracy, alone.test->accuracy);
      }
    }
  }

  test::toy_rows toy = test::planted_classification({.rows = 600, .columns = 150, .per_row = 11});
  csr_rows csr;
  train_options options{.epochs = 4, .bias = true};
};

TEST_F(divided_models, are_the_models_of_one_process) {
  const several_plan ensemble = detail::plan_of({.models = 7});
  expect_as_alone(ensemble, options);  // its steps are searched
  train_options told = options;
  told.test = view().slice(0, 100);
  told.step.initial = 0.3;
  told.l1 = 1e-4;
  expect_as_alone(ensemble, told);
  expect_as_alone(detail::plan_of({.models = 5, .answer = ensemble_answer::mean_weights}), told);
  told.epochs = 40;
  told.tolerance = 1e-2;
  expect_as_alone(ensemble, told);
  told.tolerance.reset();
  told.validation_fraction = 0.2;
  told.patience = 1;
  expect_as_alone(ensemble, told);
}

TEST_F(divided_models, that_are_trained_one_by_one_are_so_too) {
  expect_as_alone(
      detail::plan_of({.models = 5, .rows = ensemble_rows::shards, .answer = ensemble_answer::mean_weights}), options);
  options.step.initial = 1e30;
  options.l2 = 0.0;
  const auto results = by_ranks(2, [&](std::size_t, collective* ranks) {
    several_plan plan = detail::plan_of({.models = 4, .rows = ensemble_rows::shards});
    plan.ranks = ranks;
    return detail::train_several_of(least_squares{}, view(),
                                    std::make_shared<engine_of<serial_engine>>(serial_engine{}), options, plan);
  });
  for (const auto& of_rank : results) EXPECT_EQ(of_rank->status, run_status::diverged);
}

TEST_F(divided_models, go_on_from_the_checkpoints_of_their_ranks) {
  const test::scratch_folder folder;
  const std::string file = (folder / "state").string();
  for (const several_plan& plan :
       {detail::plan_of({.models = 7}), detail::plan_of({.models = 5, .rows = ensemble_rows::shards})}) {
    const train_result whole = trained(plan, options, nullptr);
    train_options part = options, again = options;
    part.checkpoint = again.resume = file;
    part.observers.push_back(
        [](const epoch_report& e) { return e.epoch == 2 ? observer_answer::stop : observer_answer::go_on; });
    for (const auto& of_rank : by_ranks(2, [&](std::size_t, collective* ranks) { return trained(plan, part, ranks); }))
      EXPECT_EQ(of_rank->epochs, 2u);
    for (const auto& of_rank :
         by_ranks(2, [&](std::size_t, collective* ranks) { return trained(plan, again, ranks); })) {
      EXPECT_EQ(of_rank->parameters, whole.parameters);
      EXPECT_EQ(of_rank->epochs, whole.epochs);
      EXPECT_EQ(of_rank->train_loss, whole.train_loss);
      EXPECT_EQ(of_rank->status, whole.status);
    }
    const auto refused = by_ranks(3, [&](std::size_t, collective* ranks) {
      return test::refusal_of<error>([&] { trained(plan, again, ranks); });
    });
    for (const auto& of_rank : refused) EXPECT_THAT(*of_rank, HasSubstr("is of a run of 2 ranks, and this one has 3"));
  }
}

// One worker of each rank makes the steps that one worker makes alone.
TEST_F(divided_models, are_trained_by_the_engine_that_each_rank_has) {
  for (std::size_t r = 0; r < toy.rows(); ++r) toy.label[r] = static_cast<float>(r % 5);
  const csr_rows rows = toy.csr();
  const train_result alone = train_one_vs_rest(logistic{}, rows.view(), all_reduce_engine{.workers = 1}, options);
  const auto results = by_ranks(3, [&](std::size_t, collective* ranks) {
    return train_one_vs_rest(logistic{}, rows.view(), all_reduce_engine{.workers = 1, .ranks = ranks}, options);
  });
  for (const auto& of_rank : results) {
    EXPECT_EQ(of_rank->parameters, alone.parameters);
    EXPECT_EQ(of_rank->labels.classes(), 5u);
  }
}

TEST_F(divided_models, tell_the_first_rank_s_observers_and_show_them_all_parameters) {
  std::vector<std::vector<float>> seen, alone;
  train_options o = options;
  o.observers.push_back([&](const epoch_report& e) { alone.push_back(e.parameters()); });
  trained(detail::plan_of({.models = 5}), o, nullptr);
  const auto results = by_ranks(3, [&](std::size_t r, collective* ranks) {
    train_options own = options;
    own.observers.push_back([&, r](const epoch_report& e) {
      EXPECT_EQ(r, 0u);
      if (e.epoch != 2) seen.push_back(e.parameters());  // the parameters of the second epoch are not asked for
    });
    return trained(detail::plan_of({.models = 5}), own, ranks);
  });
  alone.erase(alone.begin() + 1);
  EXPECT_EQ(seen, alone);
}

TEST_F(divided_models, end_together_where_one_rank_is_asked_to_stop_or_an_observer_wants_it) {
  options.epochs = 1'000'000;
  options.step.initial = 1e-3;
  for (const bool asked : {true, false}) {
    std::stop_source second;
    const auto results = by_ranks(3, [&](std::size_t r, collective* ranks) {
      train_options own = options;
      if (r == 1) own.stop = second.get_token();
      own.observers.push_back([&](const epoch_report& e) {
        if (e.epoch == 3 && asked) second.request_stop();
        return e.epoch == 3 && !asked ? observer_answer::stop : observer_answer::go_on;
      });
      return trained(detail::plan_of({.models = 6}), own, ranks);
    });
    for (const auto& of_rank : results) {
      EXPECT_EQ(of_rank->status, run_status::stopped);
      EXPECT_EQ(of_rank->stopped_by, asked ? stop_cause::request : stop_cause::observer);
      EXPECT_EQ(of_rank->epochs, results.front()->epochs);
      EXPECT_EQ(of_rank->parameters, results.front()->parameters);
    }
    // They have the parameters after whole epochs.
    train_options whole = options;
    whole.epochs = results.front()->epochs;
    EXPECT_EQ(results.front()->parameters, trained(detail::plan_of({.models = 6}), whole, nullptr).parameters);
  }
}

// An observer's exception leaves train() unchanged. A rank that waited in vain would report a timeout.
TEST_F(divided_models, end_on_all_ranks_with_what_an_observer_throws) {
  struct thrower : observer {
    bool at_start = false;
    void on_start(const run_start&) override {
      if (at_start) throw std::out_of_range("no start");
    }
    observer_answer on_epoch(const epoch_report& e) override {
      e.parameters();
      if (e.epoch == 2) throw std::out_of_range("no epoch");
      return observer_answer::go_on;
    }
  };
  for (const auto& [at_start, thrown_by] : {std::pair(false, 0u), std::pair(true, 0u), std::pair(true, 1u)}) {
    const auto sentences = by_ranks(2, [&, at = at_start, by = thrown_by](std::size_t r, collective* ranks) {
      thrower own;
      own.at_start = at && r == by;
      train_options o = options;
      o.observers.push_back(&own);
      const std::string sentence =
          test::refusal_of<std::exception>([&] { trained(detail::plan_of({.models = 5}), o, ranks); });
      // Both still make the same calls.
      EXPECT_EQ(agreement(ranks).sum(1.0), 2.0);
      return sentence;
    });
    const std::string own = at_start ? "no start" : "no epoch";
    EXPECT_EQ(*sentences[thrown_by], own);
    EXPECT_EQ(*sentences[1 - thrown_by], "rank " + std::to_string(thrown_by) + " of 2: " + own);
  }
}

TEST_F(divided_models, that_one_rank_cannot_train_are_refused_by_all) {
  const auto refused = [&](std::size_t n, std::size_t models, const train_options& of_last) {
    return by_ranks(n, [&](std::size_t r, collective* ranks) -> std::string {
      return test::refusal_of<rank_failure>(
          [&] { trained(detail::plan_of({.models = models}), r + 1 == n ? of_last : options, ranks); }, "trained");
    });
  };
  train_options other = options;
  other.epochs = 5;
  for (const auto& sentence : refused(3, 7, other))
    EXPECT_THAT(*sentence, HasSubstr("rank 2 of 3: epochs: 5 here, 4 on rank 0"));
  for (const auto& change : std::initializer_list<std::function<void(train_options&)>>{
           [&](train_options& o) { o.test = view().slice(0, 50); },  // which the first one is to measure
           [&](train_options& o) { o.validation = view().slice(0, 50); }, [](train_options& o) { o.tolerance = 1e-3; },
           [](train_options& o) { o.step.initial = 0.1; }, [](train_options& o) { o.l1 = 1e-3; },
           [](train_options& o) { o.l2 = 1e-3; }, [](train_options& o) { o.optimizer = optimizer_kind::adagrad; }}) {
    other = options;
    change(other);
    for (const auto& sentence : refused(2, 7, other))
      EXPECT_THAT(*sentence, AllOf(HasSubstr("rank 1 of 2: "), HasSubstr(" here, "), HasSubstr(" on rank 0")));
  }
  other = options;
  other.l1 = -1.0;
  for (const auto& sentence : refused(2, 7, other)) EXPECT_THAT(*sentence, HasSubstr("rank 1 of 2: l1 is -1"));
  for (const auto& sentence : refused(3, 2, options))
    EXPECT_THAT(*sentence, HasSubstr("there are more ranks, 3, than models, 2"));
}

struct divided_folds : divided_models {};

TEST_F(divided_folds, have_the_measures_of_one_process) {
  for (const bool adaptive : {false, true}) {
    train_options o = options;
    if (adaptive) o.optimizer = optimizer_kind::adagrad;
    const fold_measures alone = cross_validate(logistic{}, view(), serial_engine{}, 5, o);
    o.l2_by_folds = l2_search{.folds = 4};
    const logistic model;
    const auto maker = detail::maker_of(model, nullptr);
    const chosen_l2 l2 = detail::choose_l2(maker, view(), o, 1, nullptr);
    for (const std::size_t n : {2u, 3u, 7u}) {
      const auto results = by_ranks(n, [&](std::size_t, collective* ranks) {
        train_options own = o;
        own.l2_by_folds.reset();
        return std::pair(cross_validate(logistic{}, view(), local_sgd_engine{.workers = 1, .ranks = ranks}, 5, own),
                         detail::choose_l2(maker, view(), o, 1, ranks));
      });
      for (const auto& of_rank : results) {
        const auto& [measured, chosen] = *of_rank;
        ASSERT_EQ(measured.folds.size(), 5u);
        for (std::size_t k = 0; k < 5; ++k) {
          EXPECT_EQ(measured.folds[k].loss, alone.folds[k].loss);
          EXPECT_EQ(measured.folds[k].auc, alone.folds[k].auc);
        }
        EXPECT_EQ(chosen.l2, l2.l2);
        ASSERT_EQ(chosen.tried.size(), l2.tried.size());
        for (std::size_t i = 0; i < l2.tried.size(); ++i)
          EXPECT_EQ(chosen.tried[i].measured.mean().loss, l2.tried[i].measured.mean().loss) << i;
      }
    }
  }
}

TEST_F(divided_folds, are_those_of_the_same_rows_and_options_on_all_ranks) {
  const logistic model;
  const auto maker = detail::maker_of(model, nullptr);
  using fold_call = std::function<void(bool other, collective*)>;
  for (const fold_call& call : std::initializer_list<fold_call>{
           [&](bool other, collective*ranks) {
             train_options own = options;
             own.seed += other ? 1 : 0;
             detail::cross_validate(maker, view(), 4, own, 1, ranks);
           },
           [&](bool other, collective*ranks) {
             detail::cross_validate(maker, view().slice(0, other ? 599 : 600), 4, options, 1, ranks);
           },
           [&](bool other, collective*ranks) {
             detail::cross_validate(maker, view(), other ? 5 : 4, options, 1, ranks);
           },
           [&](bool other, collective*ranks) {
             train_options own = options;
             own.l2_by_folds = l2_search{.folds = 4, .of = {1e-3, other ? 1e-4 : 1e-5}};
             detail::choose_l2(maker, view(), own, 1, ranks);
           },
           [&](bool other, collective*ranks) {
             const local_sgd_engine engine{.workers = 1, .ranks = ranks};
             train_path(model, view(), engine, {.l2 = {1e-3, other ? 1e-4 : 1e-5}}, options);
           }}) {
    const auto sentences = by_ranks(3, [&](std::size_t r, collective* ranks) -> std::string {
      return test::refusal_of<rank_failure>([&] { call(r == 2, ranks); }, "trained");
    });
    for (const auto& sentence : sentences)
      EXPECT_THAT(*sentence, AllOf(HasSubstr("rank 2 of 3: "), HasSubstr(" here, "), HasSubstr(" on rank 0")));
  }
}

// A path goes through the rows of all ranks, as train() does.
TEST_F(divided_folds, stand_beside_a_path_that_ranks_train_on_their_rows) {
  options.step.initial = 0.2;
  const auto results = by_ranks(2, [&](std::size_t r, collective* ranks) {
    const sparse_view own = view().slice(300 * r, 300 * (r + 1));
    const local_sgd_engine engine{.workers = 1, .rows = 50, .ranks = ranks};
    const path_result path = train_path(logistic{}, own, engine, {.l2 = {1e-4, 1e-2}}, options);
    train_options by_hand = options;
    by_hand.l2 = 1e-2;
    std::vector<float> w = train(logistic{}, own, engine, by_hand).parameters;
    by_hand.l2 = 1e-4;
    by_hand.initial = [&](std::span<float> fresh) { std::ranges::copy(w, fresh.begin()); };
    const std::vector<float> last = train(logistic{}, own, engine, by_hand).parameters;
    EXPECT_THROW(train_path(logistic{}, own, engine, {.l2 = {1.0}, .folds = 3}, options), rank_failure);
    return path.points.size() == 2 && path.points.back().run.parameters == last;
  });
  for (const auto& same : results) EXPECT_TRUE(*same);
}

}  // namespace
}  // namespace hogwild
