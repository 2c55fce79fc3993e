// SPDX-License-Identifier: Apache-2.0
// The synchronous engine over several processes, with a thread for each process.
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/rank_failure.hpp>
#include <hogwild/train.hpp>

#include "support/ranks.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

sparse_view part_of(const csr_rows& rows, std::size_t rank, std::size_t ranks) {
  const sparse_view all = rows.view();
  return all.slice(all.rows() * rank / ranks, all.rows() * (rank + 1) / ranks);
}

template <class Model>
std::vector<train_result> train_ranks(std::size_t ranks, std::size_t workers, sync_rule rule, const Model& m,
                                      const csr_rows& rows, const train_options& options) {
  std::vector<train_result> results(ranks);
  test::as_sound_ranks(ranks, [&](const test::rank_place& place) {
    const sync_engine engine{.workers = workers, .rule = rule, .rows = 16, .pin = false, .ranks = &place.ranks};
    results[place.rank] = train(m, part_of(rows, place.rank, ranks), engine, options);
  });
  for (const train_result& r : results) {
    EXPECT_EQ(r.parameters, results[0].parameters);
    EXPECT_EQ(r.objective, results[0].objective);
    EXPECT_EQ(r.examples, results[0].examples);
  }
  return results;
}

TEST(sync_ranks, end_near_the_serial_objective_and_repeat_to_the_bit) {
  const test::kept_rows rows = test::planted_classification({.rows = 3'001, .columns = 60});
  const train_options serial_options{.epochs = 10, .step = {.initial = 0.3, .decay = 0.7}};
  const double serial = train(logistic{}, rows, serial_engine{}, serial_options).objective;
  const struct {
    sync_rule rule;
    double step;
  } ways[] = {{sync_rule::gradients, 8.0}, {sync_rule::average, 0.3}};
  for (const auto& [rule, step] : ways) {
    const train_options options{.epochs = 20, .step = {.initial = step, .decay = 0.85}};
    for (const std::size_t workers : {1u, 2u}) {
      if (test::thread_sanitized && workers == 1) continue;
      const auto results = train_ranks(3, workers, rule, logistic{}, rows, options);
      EXPECT_LT(results[0].objective, 1.02 * serial) << static_cast<int>(rule);
      EXPECT_EQ(results[0].examples, 20u * rows.rows());
      ASSERT_TRUE(results[0].meetings);
      EXPECT_EQ(results[0].meetings->ranks, 3 * workers);
      train_options few = options;
      few.epochs = 2;
      EXPECT_EQ(train_ranks(3, workers, rule, logistic{}, rows, few)[0].parameters,
                train_ranks(3, workers, rule, logistic{}, rows, few)[0].parameters);
    }
  }
}

// The rows of one rank weigh more than those of another: the first rank has more rows of the heavy label.
TEST(sync_ranks, tell_the_loss_of_all_rows_as_they_weigh) {
  auto toy = test::planted_classification({.rows = 1'000, .columns = 40});
  for (std::size_t r = 0; r < 300; ++r) toy.label[r] = 1.0f;
  const csr_rows rows = toy.csr();
  const train_options options{
      .epochs = 3, .step = {.initial = 1.0}, .weight_positive = 4.0, .test = sparse_view(rows.view())};
  const train_result run = train_ranks(3, 1, sync_rule::gradients, logistic{}, rows, options)[0];
  ASSERT_TRUE(run.test);
  EXPECT_NEAR(run.train_loss, run.test->loss, 1e-6 * run.train_loss);
}

// One process with as many threads has the same ranks, but other shards: the results agree only roughly.
TEST(sync_ranks, are_what_as_many_threads_are) {
  const test::kept_rows rows = test::planted_classes({.rows = 2'000, .columns = 40}, 3);
  const softmax m{.features = 40, .classes = 3};
  const train_options options{.epochs = 15, .step = {.initial = 4.0, .decay = 0.85}, .l2 = 1e-4};
  const sync_engine threads{.workers = 4, .rows = 16, .pin = false};
  const double together = train(m, rows, threads, options).objective;
  EXPECT_NEAR(train_ranks(2, 2, sync_rule::gradients, m, rows, options)[0].objective, together, 0.02 * together);
}

// Each rank has 320 or 160 of 960 rows, which 16 divides: nothing may change on a rank after its last meeting.
TEST(sync_ranks, owe_no_steps_where_they_meet_last) {
  const test::kept_rows rows = test::planted_classification({.rows = 960, .columns = 60});
  for (const optimizer_kind kind : {optimizer_kind::momentum, optimizer_kind::adam})
    for (const std::size_t workers : {1u, 2u}) {
      const train_options options{.epochs = 3, .step = {.initial = 0.01}, .optimizer = kind};
      const auto results = train_ranks(3, workers, sync_rule::average, logistic{}, rows, options);
      EXPECT_EQ(results[0].examples, 3u * 960u);
    }
}

TEST(sync_ranks, stop_together) {
  const test::kept_rows rows = test::planted_classification({.rows = 2'000, .columns = 40});
  test::stop_after_two after;
  std::vector<train_result> results(2);
  test::as_sound_ranks(2, [&](const test::rank_place& place) {
    train_options options{.epochs = 1'000'000, .step = {.initial = 0.01}};
    if (place.rank == 1) options.stop = after.stop.get_token(), options.observers = {&after};
    const sync_engine engine{.workers = 2, .rows = 16, .pin = false, .ranks = &place.ranks};
    results[place.rank] = train(logistic{}, part_of(rows, place.rank, 2), engine, options);
  });
  for (const train_result& r : results) {
    EXPECT_EQ(r.status, run_status::stopped);
    EXPECT_EQ(r.parameters, results[0].parameters);
    EXPECT_LE(r.epochs, 4u);
  }
}

// A net under adam makes steps by the position of all ranks in the epoch; a round is a part of it.
TEST(sync_ranks, tell_of_rounds_and_stop_by_the_answer_of_one) {
  const test::kept_rows rows = test::planted_classes({.rows = 2'000, .columns = 40}, 3);
  const softmax m{.features = 40, .classes = 3};
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const auto results_of = [&](std::optional<std::size_t> count, std::vector<std::size_t>& told, std::size_t last) {
      std::vector<train_result> results(2);
      test::as_sound_ranks(2, [&](const test::rank_place& place) {
        train_options options{.epochs = 3, .step = {.initial = 0.1, .kind = schedule_kind::linear}};
        options.optimizer = optimizer, options.rounds = count;
        if (place.rank == 1)
          options.observers.push_back([&](const round_report& r) {
            told.push_back(10 * r.epoch + r.round);
            return told.back() == last ? observer_answer::stop : observer_answer::go_on;
          });
        // Parts of unlike size: the rounds of one are shorter than those of the other.
        const sparse_view mine = place.rank == 0 ? rows.view().slice(0, 1'300) : rows.view().slice(1'300, 2'000);
        const sync_engine engine{.workers = 2, .rows = 16, .pin = false, .ranks = &place.ranks};
        results[place.rank] = train(m, mine, engine, options);
      });
      EXPECT_EQ(results[0].parameters, results[1].parameters);
      return results;
    };
    std::vector<std::size_t> told, none;
    const auto whole = results_of(std::nullopt, none, 0);
    EXPECT_THAT(none, testing::IsEmpty());
    const auto cut = results_of(3, told, 0);
    EXPECT_THAT(told, testing::ElementsAre(11, 12, 13, 21, 22, 23, 31, 32, 33));
    // Each round ends with meetings of fewer rows, which make shorter steps.
    EXPECT_NEAR(cut[0].objective, whole[0].objective, 0.05 * whole[0].objective);
    told.clear();
    for (const train_result& r : results_of(3, told, 22)) {
      EXPECT_EQ(r.status, run_status::stopped);
      EXPECT_EQ(r.stopped_by, stop_cause::observer);
      EXPECT_EQ(r.epochs, 1u);
    }
  }
}

TEST(sync_ranks, refuse_rounds_that_are_not_as_many) {
  const test::kept_rows rows = test::planted_classification({.rows = 200, .columns = 40});
  for (const auto& thrown : test::as_ranks(2, [&](const test::rank_place& place) {
         const sync_engine engine{.workers = 1, .rows = 16, .pin = false, .ranks = &place.ranks};
         train(logistic{}, rows, engine, {.epochs = 1, .step = {.initial = 0.1}, .rounds = 1 + place.rank});
       })) {
    try {
      ASSERT_TRUE(thrown);
      std::rethrow_exception(thrown);
    } catch (const rank_failure& refused) {
      EXPECT_EQ(refused.code(), exit_code::usage);
      EXPECT_THAT(refused.what(), HasSubstr("rank 1 of 2: rounds: 2 here, 1 on rank 0"));
    }
  }
}

// It begins far away and comes a part of the way back. Zeros would be better, but the run never had them.
TEST(sync_ranks, compare_the_end_of_a_resumed_run_with_its_own_warm_start) {
  const test::kept_rows rows = test::planted_classification({.rows = 1'001, .columns = 40});
  const test::scratch_folder folder;
  train_options options{.epochs = 1, .step = {.initial = 1e-3}, .l2 = 0.0, .checkpoint = folder / "run"};
  options.initial = [](std::span<float> w) { std::ranges::fill(w, 100.0f); };
  const train_result first = train_ranks(2, 1, sync_rule::average, logistic{}, rows, options)[0];
  options.resume = std::exchange(options.checkpoint, "");
  options.epochs = 2;
  const train_result end = train_ranks(2, 1, sync_rule::average, logistic{}, rows, options)[0];
  EXPECT_LT(end.objective, first.objective);
  ASSERT_GT(end.objective, 2.0) << "that of zeros is log 2";
  EXPECT_EQ(end.status, run_status::done);
}

// Any number of ranks can go on from the common state. The number of rows is odd, so that parts always differ.
TEST(sync_ranks, go_on_from_a_checkpoint_as_another_number_of_ranks_or_without_a_file) {
  const test::kept_rows rows = test::planted_classification({.rows = 1'001, .columns = 40});
  for (const sync_rule rule : {sync_rule::gradients, sync_rule::average}) {
    const test::scratch_folder folder;
    const std::string file = folder / "run";
    train_options options{.epochs = 4, .step = {.initial = 0.5, .decay = 0.8}, .checkpoint = file};
    const train_result half = train_ranks(3, 1, rule, logistic{}, rows, options)[0];
    options.checkpoint.clear();
    options.resume = file;
    const train_result same = train_ranks(3, 1, rule, logistic{}, rows, options)[0];
    EXPECT_EQ(same.parameters, half.parameters);
    options.epochs = 8;
    const train_result whole = train_ranks(3, 1, rule, logistic{}, rows, options)[0];
    std::filesystem::remove(file + ".rank1");
    EXPECT_EQ(train_ranks(3, 1, rule, logistic{}, rows, options)[0].parameters, whole.parameters);
    for (const std::size_t ranks : {1u, 2u, 5u}) {
      const train_result other = train_ranks(ranks, 2, rule, logistic{}, rows, options)[0];
      EXPECT_EQ(other.epochs, 8u);
      EXPECT_LT(other.objective, half.objective);
      EXPECT_NEAR(other.objective, whole.objective, 0.05 * whole.objective) << ranks;  // of more or fewer steps
    }
  }
}

TEST(sync_ranks, end_when_one_is_lost_and_refuse_unequal_workers) {
  const test::kept_rows rows = test::planted_classification({.rows = 2'000, .columns = 40});
  const auto sentences = [&](bool lose_one, bool unequal) {
    const auto thrown = test::as_ranks(2, [&](const test::rank_place& place) {
      train_options options{.epochs = lose_one ? 1'000'000u : 1u, .step = {.initial = 0.01}};
      if (place.rank == 1 && lose_one)
        options.observers = {[](const epoch_report&) { throw resource_error("the disk is full"); }};
      const std::size_t workers = place.rank == 1 && unequal ? 3 : 2;
      const sync_engine engine{.workers = workers, .rows = 16, .pin = false, .ranks = &place.ranks};
      train(logistic{}, part_of(rows, place.rank, 2), engine, options);
    });
    std::vector<std::string> said;
    for (const auto& e : thrown) {
      try {
        if (e) std::rethrow_exception(e);
        said.emplace_back();
      } catch (const error& failure) {
        said.emplace_back(failure.what());
      }
    }
    return said;
  };
  const auto lost = sentences(true, false);
  EXPECT_THAT(lost[1], HasSubstr("the disk is full"));
  EXPECT_THAT(lost[0], HasSubstr("rank"));
  for (const std::string& s : sentences(false, true)) EXPECT_THAT(s, HasSubstr("as many workers each"));
}

}  // namespace
