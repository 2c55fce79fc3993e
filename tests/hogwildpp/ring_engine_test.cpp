// SPDX-License-Identifier: Apache-2.0
#include <hogwildpp/ring_engine.hpp>

#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/names.hpp>
#include <hogwild/train.hpp>

#include "support/planned_task.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

ring_engine ring_of(std::size_t replicas, std::size_t workers, ring_rule rule = ring_rule::deltas) {
  return {.workers = workers, .replicas = replicas, .rule = rule, .team = thread_team_kind::std, .pin = false};
}

constexpr ring_rule rules[] = {ring_rule::deltas, ring_rule::average, ring_rule::released};

TEST(ring_engine, of_one_replica_is_exactly_hogwild) {
  const auto toy = test::planted_classification({.rows = 3'000, .columns = 60});
  const auto many = test::planted_classes({.rows = 1'000, .columns = 60}, 3);
  const thread_engine threads{.workers = 1, .team = thread_team_kind::std, .pin = false};
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::buffered, sharing_kind::direct}) {
      const train_options options{.epochs = 3,
                                  .step = {.initial = 0.3, .decay = 0.8},
                                  .l2 = 0.01,
                                  .optimizer = optimizer,
                                  .sharing = sharing,
                                  .bias = true};
      train_options plain = options;
      plain.bias = false;
      const train_result alone = train(logistic{}, toy.csr(), threads, options);
      const softmax classes{.features = 60, .classes = 3};
      const train_result alone_of_classes = train(classes, many.csr(), threads, plain);
      for (const ring_rule rule : rules) {
        const train_result ring = train(logistic{}, toy.csr(), ring_of(1, 1, rule), options);
        EXPECT_EQ(ring.parameters, alone.parameters);
        EXPECT_EQ(ring.objective, alone.objective);
        EXPECT_FALSE(ring.ring);
        EXPECT_EQ(train(classes, many.csr(), ring_of(1, 1, rule), plain).parameters, alone_of_classes.parameters);
      }
    }
  }
}

TEST(ring_engine, may_do_what_threads_may_where_there_is_one_replica) {
  const auto toy = test::planted_classification({.rows = 500, .columns = 30});
  const train_options options{.epochs = 2, .step = {.initial = 0.3}, .reproducible = true};
  const thread_engine threads{.workers = 2, .team = thread_team_kind::std, .pin = false};
  EXPECT_EQ(train(logistic{}, toy.csr(), ring_of(1, 2), options).parameters,
            train(logistic{}, toy.csr(), threads, options).parameters);
}

struct refused : testing::Test {
  const test::toy_rows toy = test::planted_classification({.rows = 300, .columns = 20});

  /// The message with which it is refused.
  std::string run(const ring_engine& engine, train_options options) const {
    options.epochs = 1;
    options.step.initial = 0.1;
    try {
      train(logistic{}, toy.csr(), engine, options);
    } catch (const config_error& e) {
      return e.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
  }
};

TEST_F(refused, are_more_replicas_than_workers) {
  const std::string sentence = run(ring_of(5, 3), {});
  EXPECT_THAT(sentence, HasSubstr("5 replicas need as many workers"));
  EXPECT_THAT(sentence, HasSubstr("there are 3"));
}

TEST_F(refused, is_a_sharing_without_replicas_of_the_workers) {
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::head}) {
    EXPECT_THAT(run(ring_of(2, 4), {.sharing = sharing}), HasSubstr("leave the sharing at auto"));
  }
}

TEST_F(refused, is_a_reproducible_run) {
  EXPECT_THAT(run(ring_of(2, 2), {.reproducible = true}), HasSubstr("use threads or processes"));
}

TEST_F(refused, are_options_of_the_released_rule_that_it_does_not_take_and_those_of_other_rules) {
  const auto with = [](ring_rule rule, const released_options& released) {
    ring_engine engine = ring_of(2, 2, rule);
    engine.released = released;
    return engine;
  };
  EXPECT_THAT(run(with(ring_rule::average, {.dense = 1}), {}), HasSubstr("use that rule"));
  EXPECT_THAT(run(with(ring_rule::released, {.tolerance = -1.0}), {}), HasSubstr("must not be negative"));
  EXPECT_THAT(run(with(ring_rule::released, {.rows = 48}), {}), HasSubstr("a power of two"));
  EXPECT_THAT(run(with(ring_rule::released, {.rows = 8192}), {}), HasSubstr("up to 4096"));
}

TEST(ring_engine, by_the_released_rule_exchanges_as_it_is_told) {
  const auto toy = test::planted_classification({.rows = 8'000, .columns = 2'000});
  const test::scratch_folder folder;
  ring_engine engine = ring_of(2, 2, ring_rule::released);
  engine.released = {.tolerance = 1e-3, .rows = 32, .dense = 1};
  const train_result r =
      train(logistic{}, toy.csr(), engine, {.epochs = 3, .step = {.initial = 0.1}, .record = folder / "run.jsonl"});
  const std::string text = test::read_text(folder / "run.jsonl");
  const auto options = nlohmann::json::parse(text.substr(0, text.find('\n')))["options"];
  EXPECT_EQ(options["released_tolerance"], 1e-3);
  EXPECT_EQ(options["released_dense"], true);
  EXPECT_EQ(options["exchange_rows"], 32);
  ASSERT_TRUE(r.ring);
  const std::uint64_t whole = 2 * 2'000 * sizeof(float);
  EXPECT_GE(r.ring->bytes, r.ring->exchanges * whole);
}

TEST_F(refused, are_locks) {
  EXPECT_THAT(run(ring_of(2, 2), {.update = update_kind::locked}), HasSubstr("use lossy or exact updates"));
}

struct telemetry : testing::TestWithParam<ring_rule> {
  /// A holder that lost its token has sent a part of an exchange that is not counted: at most one for each takeover.
  static std::uint64_t begun(const ring_report& r) { return r.exchanges + r.taken_over; }
};

TEST_P(telemetry, counts_each_byte_of_a_model_that_travels_whole) {
  const auto toy = test::planted_classification({.rows = 20'000, .columns = 300});
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const train_result r =
        train(logistic{}, toy.csr(), ring_of(4, 4, GetParam()),
              {.epochs = 10, .step = {.initial = 0.05}, .optimizer = optimizer, .sharing = sharing_kind::buffered});
    ASSERT_TRUE(r.ring);
    EXPECT_EQ(r.ring->replicas, 4u);
    if (GetParam() == ring_rule::deltas) {
      EXPECT_GT(r.ring->exchanges, 0u);  // under the others, only with replicas that train at the same time
    }
    const std::uint64_t dense = 300 * sizeof(float) * (optimizer == optimizer_kind::adagrad ? 2 : 1);
    EXPECT_GE(r.ring->bytes + r.ring->taken_over * 2 * dense, r.ring->exchanges * 2 * dense);
    EXPECT_LE(r.ring->bytes, begun(*r.ring) * 2 * dense);
    EXPECT_EQ(r.ring->held_seconds > 0.0, r.ring->exchanges > 0);
    EXPECT_LT(r.ring->held_seconds, 4 * r.wall_seconds);  // more than one holder at once is the exception
    EXPECT_LE(r.ring->taken_over, r.ring->waits);
  }
}

// Prefixes of 512, 1024, 512, 2048, ... of 8192 positions: 512 * (1 + 4 / 2) on average, 19 % of them. Exchanges come
// in the order of the marks, except those that were passed over.
TEST(ring_engine, sends_rare_columns_rarely) {
  constexpr std::size_t columns = 8192;
  const auto toy = test::planted_classification({.rows = 20'000, .columns = columns});
  const csr_rows data = toy.csr();
  test::planned_task work =
      make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "toy"),
                {.isa = choose_isa(isa::automatic)});
  work.set_sharing(access_kind::buffered, {.rows = 16, .workers = 4, .replicas = 4});
  const auto started = start(ring_of(4, 4), *work, work.plan, {});
  round_driver rounds(*work, work.plan, *started);
  for (std::size_t e = 1; e <= 3; ++e) rounds.train_epoch(e, 0.05);
  ring_report all;
  for (const worker_slot& slot : started->store().slots()) {
    all.exchanges += slot.ring_exchanges.get();
    all.bytes += slot.ring_bytes.get();
    all.taken_over += slot.ring_taken_over.get();
  }
  ASSERT_GT(all.exchanges, 64u);
  EXPECT_LT(all.bytes, (all.exchanges + all.taken_over) * 2 * columns * sizeof(float) * 3 / 10);
}

TEST_P(telemetry, stands_in_the_run_record) {
  const auto toy = test::planted_classification({.rows = 5'000, .columns = 50});
  const test::scratch_folder folder;
  for (const std::size_t replicas : {1u, 2u}) {
    const std::string file = folder / ("of_" + std::to_string(replicas));
    const train_result r = train(logistic{}, toy.csr(), ring_of(replicas, 2, GetParam()),
                                 {.epochs = 2, .step = {.initial = 0.1}, .record = file});
    const std::string text = test::read_text(file);
    const auto first = nlohmann::json::parse(text.substr(0, text.find('\n')));
    const auto last = nlohmann::json::parse(text.substr(text.rfind('\n', text.size() - 2) + 1));
    ASSERT_EQ(first["kind"], "context");
    ASSERT_EQ(last["kind"], "result");
    EXPECT_EQ(first["options"]["replicas"], replicas);
    EXPECT_EQ(last.contains("ring"), replicas > 1);
    ASSERT_EQ(r.ring.has_value(), replicas > 1);
    if (replicas == 1) {
      EXPECT_EQ(first["options"]["exchange_rule"], "none");
      continue;
    }
    EXPECT_EQ(first["options"]["engine"], "ring");
    EXPECT_EQ(first["options"]["sharing"], "buffered");
    EXPECT_EQ(first["options"]["exchange_rule"], name_of(GetParam()));
    EXPECT_EQ(last["ring"]["exchanges"], r.ring->exchanges);
    EXPECT_EQ(last["ring"]["bytes"], r.ring->bytes);
    EXPECT_EQ(last["ring"]["waits"], r.ring->waits);
    EXPECT_EQ(last["ring"]["taken_over"], r.ring->taken_over);
    EXPECT_EQ(last["ring"]["held_seconds"], r.ring->held_seconds);
    EXPECT_EQ(last["ring"]["nodes"], r.ring->nodes);
    EXPECT_EQ(last["ring"]["memory"], to_string(r.ring->memory));
  }
}

INSTANTIATE_TEST_SUITE_P(of, telemetry, testing::ValuesIn(rules),
                         [](const auto& about) { return std::string(name_of(about.param)); });

TEST(a_ring, makes_its_workers_known_to_every_program_that_includes_it) {
  const test::toy_rows toy = test::planted_classification({.rows = 20, .columns = 5});
  const csr_rows data = toy.csr();
  auto whole = make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "toy"), {});
  const training_task* const before = whole.get();
  const param_store store = param_store::in_memory({.parameters = 5, .workers = 2});
  const loop_plan plan = test::plan_of(*whole, access_kind::buffered, {.workers = 2, .replicas = 2});
  const auto replica =
      worker_decorator_of(ring_workers)(std::move(whole), {.store = store, .plan = plan, .workers = 2});
  EXPECT_NE(replica.get(), before);
  EXPECT_EQ(replica->facts().model, "logistic");
  EXPECT_NE(worker_decorator_of(lockstep_workers), nullptr);
  EXPECT_THAT([] { worker_decorator_of("carousel"); },
              testing::ThrowsMessage<segment_error>(testing::HasSubstr("engine 'carousel'")));
}

}  // namespace
