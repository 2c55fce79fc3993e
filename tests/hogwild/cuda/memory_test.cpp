// SPDX-License-Identifier: Apache-2.0
// Runs in each kind of memory, by the emulated device: the serial engine's objective, every exact add, checkpoints, and
// refusals.
#include <hogwild/cuda/engine.hpp>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/options/combinations.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/names.hpp>
#include <hogwild/train.hpp>

#include "near_serial.hpp"
#include "support/counting.hpp"
#include "support/planned_task.hpp"
#include "support/serial_band.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;

namespace {

constexpr memory_kind all_memories[] = {memory_kind::device, memory_kind::pinned, memory_kind::managed};

struct run_in : testing::TestWithParam<std::tuple<memory_kind, std::size_t>> {
  cuda_engine engine() const {
    return {.workers = std::get<1>(GetParam()), .device = emulated_device, .memory = std::get<0>(GetParam())};
  }
  bool shared() const { return std::get<0>(GetParam()) != memory_kind::device; }
};

std::string name_of_case(const testing::TestParamInfo<run_in::ParamType>& info) {
  return std::string(name_of(std::get<0>(info.param))) + "_beside_" + std::to_string(std::get<1>(info.param));
}

const test::toy_rows memory_rows =
    test::planted_classification({.rows = 4000, .columns = 200, .per_row = 10, .seed = 18});

TEST_P(run_in, ends_where_a_serial_one_does) {
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const train_options options{
        .epochs = 10, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 1e-4, .optimizer = optimizer, .bias = true};
    const train_result r = test::expect_near_serial(logistic{}, memory_rows.csr(), engine(), options);
    EXPECT_GT(r.updates, 30'000u);
    EXPECT_EQ(r.devices[0].memory, name_of(engine().memory));
  }
}

// Each row adds exactly 1 to each of its columns, which floats count exactly.
TEST_P(run_in, keeps_every_exact_add) {
  const test::toy_rows toy = test::countable_rows(20'000, 64);
  const train_options options{
      .epochs = 3, .step = {.initial = 1.0, .kind = schedule_kind::constant}, .l2 = 0.0, .update = update_kind::exact};
  const train_result r = train(test::counting_margins{}, toy.csr(), engine(), options);
  EXPECT_EQ(r.parameters, test::counts_after(toy, 3));
  EXPECT_EQ(r.updates, 3 * 20'000u);
}

TEST_P(run_in, goes_on_from_a_checkpoint_of_it) {
  test::expect_to_go_on_near_serial(logistic{}, memory_rows.csr(), engine());
}

TEST_P(run_in, says_so_in_the_record) {
  const auto lines = test::record_of(logistic{}, memory_rows.csr(), engine());
  EXPECT_EQ(lines.back()["devices"][0]["memory"], name_of(engine().memory));
  const bool alone = engine().workers == 0;
  EXPECT_EQ(lines.front()["options"]["sharing"], shared() ? "direct" : alone ? "alone" : "buffered");
}

INSTANTIATE_TEST_SUITE_P(every, run_in, testing::Combine(testing::ValuesIn(all_memories), testing::Values(0u, 2u)),
                         name_of_case);

TEST(memory_of_a_device, that_is_the_store_learns_ratings) {
  const test::kept_rows rows = test::planted_ratings();
  const train_options options{.epochs = 60, .step = {.initial = 0.1, .decay = 0.94}, .update = update_kind::exact};
  const double serial = train(test::factors_of({}), rows, serial_engine{}, options).train_loss;
  const cuda_engine engine{.workers = 1, .device = emulated_device, .memory = memory_kind::pinned};
  EXPECT_LE(train(test::factors_of({}), rows, engine, options).train_loss, test::serial_band(2) * serial);
}

TEST(memory_of_a_device, is_refused_with_options_that_it_does_not_go_with_as_the_table_says) {
  const test::toy_rows few = test::planted_classification({.rows = 60, .columns = 10, .per_row = 3});
  for (const memory_kind memory : all_memories) {
    for (const sharing_kind sharing :
         {sharing_kind::automatic, sharing_kind::direct, sharing_kind::buffered, sharing_kind::head}) {
      for (const update_kind update : {update_kind::lossy, update_kind::exact, update_kind::locked}) {
        for (const bool reproducible : {false, true}) {
          const combination c{.sharing = sharing, .update = update, .reproducible = reproducible, .memory = memory};
          const std::string_view reason = why_refused(c);
          const train_options options{.epochs = 1,
                                      .step = {.initial = 0.1},
                                      .update = update,
                                      .sharing = sharing,
                                      .reproducible = reproducible};
          const cuda_engine engine{.workers = 1, .device = emulated_device, .memory = memory};
          EXPECT_EQ(test::refusal_of([&] { train(logistic{}, few.csr(), engine, options); }, ""), reason);
        }
      }
    }
  }
}

TEST(memory_of_a_device, that_is_managed_is_refused_to_processes) {
  const cuda_engine engine{
      .device = emulated_device, .memory = memory_kind::managed, .transport = transport_kind::shared_segment};
  EXPECT_THAT(
      test::refusal_of([&] { train(logistic{}, memory_rows.csr(), engine, {.epochs = 1, .step = {.initial = 0.1}}); }),
      testing::HasSubstr("use threads, or pinned memory"));
}

// This is the state in which training_memory leaves memory that a device refuses.
TEST(memory_of_a_device, that_could_not_be_registered_is_noted_once_of_each) {
  const csr_rows rows = memory_rows.csr();
  const test::planned_task planned = make_task(logistic{}, rows.view(), label_map(),
                                               {.device_count = 2, .devices = {emulated_device, emulated_device}});
  std::vector<std::string> notes;
  const auto run = start(cuda_engine{.workers = 2, .device = {emulated_device, emulated_device}}, *planned,
                         planned.plan, [&](std::string_view sentence) { notes.emplace_back(sentence); });
  run->store().control().round.number = 1;
  run->run_round();
  EXPECT_THAT(notes, testing::IsEmpty());
  const auto noted = testing::HasSubstr("replica of the emulated device is copied through could not be registered");
  run->store().slots()[1].pageable = 1;
  run->run_round();
  run->run_round();
  EXPECT_THAT(notes, testing::ElementsAre(noted));
  run->store().slots()[0].pageable = 1;
  run->run_round();
  run->run_round();
  EXPECT_THAT(notes, testing::ElementsAre(noted, noted));
}

}  // namespace
