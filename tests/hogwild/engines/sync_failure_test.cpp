// SPDX-License-Identifier: Apache-2.0
// The end of synchronous training when a rank fails, and the options that it refuses.
#include <hogwild/engines.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/task/decorated_task.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "support/planned_task.hpp"
#include "support/refusal.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

namespace {

/// A task whose workers do something else as well: before their part of a round, or after it.
class interfering_task final : public decorated_task {
 public:
  using deed = std::function<void(const param_store& store, std::size_t slot)>;
  interfering_task(const training_task& whole, deed before, deed after)
      : decorated_task(whole), before_(std::move(before)), after_(std::move(after)) {}

  void work(const worker_context& at) const override {
    if (before_) before_(at.store, at.slot);
    whole().work(at);
    if (after_) after_(at.store, at.slot);
  }

 private:
  deed before_, after_;
};

struct sync_failure : testing::Test {
  static constexpr std::size_t ranks = 3;
  const test::kept_rows data = test::planted_classification({.rows = 600, .columns = 20});

  test::planned_task make(access_kind kind, double timeout_seconds = 600.0) const {
    test::planned_task work =
        make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "data"),
                  {.shards = sharding::fixed, .isa = choose_isa(isa::automatic)});
    work.set_sharing(kind, {.rows = 8, .gain_weight = 1.0 / 24, .workers = ranks, .timeout_seconds = timeout_seconds});
    return work;
  }
  static sync_engine engine() { return {.workers = ranks, .rows = 8, .pin = false}; }
  /// The worker_error that an epoch of such a task throws.
  static std::string failure_of(const training_task& work, const loop_plan& plan) {
    const auto started = start(engine(), work, plan, {});
    round_driver rounds(work, plan, *started);
    return test::refusal_of<worker_error>([&] { rounds.train_epoch(1, 0.1); });
  }
};

TEST_F(sync_failure, ranks_that_are_not_equal_to_the_bit_are_found_out) {
  for (const access_kind kind : {access_kind::gathered, access_kind::averaged}) {
    const auto work = make(kind);
    const interfering_task interfering(*work, {}, [](const param_store& store, std::size_t slot) {
      float& w = store.parameters<float>()[7];
      if (slot == 2) w = std::nextafter(w, 10.0f);
    });
    EXPECT_THAT(failure_of(interfering, work.plan), HasSubstr("ranks 0 and 2 of a synchronous run"));
    const auto started = start(engine(), *work, work.plan, {});
    round_driver rounds(*work, work.plan, *started);
    EXPECT_NO_THROW(rounds.train_epoch(1, 0.1));
  }
}

TEST_F(sync_failure, a_rank_that_throws_ends_the_run_with_what_it_threw) {
  for (const access_kind kind : {access_kind::gathered, access_kind::averaged}) {
    for (std::size_t who = 0; who < ranks; ++who) {
      const auto work = make(kind);
      const interfering_task interfering(*work,
                                         [who](const param_store&, std::size_t slot) {
                                           if (slot == who) throw input_error("row 17 is torn");
                                         },
                                         {});
      const auto started = start(engine(), interfering, work.plan, {});
      round_driver rounds(interfering, work.plan, *started);
      EXPECT_EQ(test::refusal_of<input_error>([&] { rounds.train_epoch(1, 0.1); }), "row 17 is torn");
      // And it stays ended, with the same reason.
      EXPECT_THROW(rounds.train_epoch(2, 0.1), input_error);
    }
  }
}

// It waits until the others have given up, so that no clock decides which is first.
TEST_F(sync_failure, a_rank_that_does_not_come_is_named_when_the_others_time_out) {
  std::atomic<std::size_t> given_up{0};
  const auto work = make(access_kind::gathered, 0.2);
  struct waiting final : decorated_task {
    waiting(const training_task& whole, std::atomic<std::size_t>& n) : decorated_task(whole), given_up(n) {}
    void work(const worker_context& at) const override {
      while (at.slot == 1 && given_up.load() < ranks - 1) std::this_thread::yield();
      try {
        whole().work(at);
      } catch (const worker_error&) {
        given_up.fetch_add(1);
        throw;
      }
    }
    std::atomic<std::size_t>& given_up;
  };
  EXPECT_THAT(failure_of(waiting(*work, given_up), work.plan),
              AllOf(HasSubstr("rank 1 of 3"), HasSubstr("within 0.2 s")));
  EXPECT_EQ(given_up.load(), ranks);
}

struct sync_refusal : testing::Test {
  const test::toy_rows toy = test::planted_classification({.rows = 300, .columns = 20});

  std::string of(const sync_engine& engine, train_options options) const {
    options.epochs = 1;
    if (!options.step.initial && !engine.scale_step) options.step.initial = 0.1;
    return test::refusal_of([&] { train(logistic{}, toy.csr(), engine, options); });
  }
};

TEST_F(sync_refusal, names_what_has_no_meaning_in_lockstep) {
  const sync_engine two{.workers = 2};
  EXPECT_THAT(of(two, {.update = update_kind::exact}), HasSubstr("leave out the update"));
  EXPECT_THAT(of(two, {.update = update_kind::locked}), HasSubstr("leave out the update"));
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::buffered, sharing_kind::head})
    EXPECT_THAT(of(two, {.sharing = sharing}), HasSubstr("leave the sharing at auto"));
  EXPECT_THAT(of(two, {.reproducible = true}), HasSubstr("leave out reproducible"));
  EXPECT_THAT(of(two, {.l1 = 0.01, .optimizer = optimizer_kind::adagrad}), HasSubstr("use local_sgd"));
}

TEST_F(sync_refusal, names_meetings_that_never_come) {
  EXPECT_THAT(of({.workers = 2, .rows = 0}, {}), HasSubstr("after 1 to "));
  EXPECT_THAT(of({.workers = 2, .rows = std::size_t{1} << 33}, {}), HasSubstr("after 1 to "));
  for (const std::chrono::seconds timeout : {0s, -1s, 1'000'001s})
    EXPECT_THAT(of({.workers = 2, .timeout = timeout}, {}), HasSubstr("above 0"));
}

TEST_F(sync_refusal, is_for_a_found_step_that_is_to_be_scaled) {
  EXPECT_THAT(of({.workers = 2, .scale_step = true}, {}), HasSubstr("give a step"));
}

}  // namespace
