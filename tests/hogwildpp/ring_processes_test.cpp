// SPDX-License-Identifier: Apache-2.0
// Replicas on a ring whose workers are processes, which run this program.
#include <tuple>

#include <gtest/gtest.h>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/worker_main.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/counting.hpp"
#include "support/planned_task.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

struct ring : testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
  const std::size_t replicas = std::get<0>(GetParam()), workers = replicas * std::get<1>(GetParam());

  ring_engine engine(ring_rule rule = ring_rule::deltas) const {
    return {.workers = workers, .replicas = replicas, .rule = rule, .transport = transport_kind::shared_segment};
  }

  template <class Model>
  void expect_every_add_once(const Model& m, std::size_t columns) const {
    constexpr std::size_t epochs = 4;
    const auto toy = test::countable_rows(6'000, columns);
    const csr_rows data = toy.csr();
    test::planned_task work =
        make_task(m, data.view(), label_map{}, {.update = update_kind::exact, .isa = choose_isa(isa::automatic)});
    work.set_sharing(access_kind::buffered,
                     {.rows = 8, .workers = workers, .replicas = static_cast<std::uint32_t>(replicas)});
    const auto started = start(engine(), *work, work.plan, {});
    started->get_ready();
    round_driver rounds(*work, work.plan, *started);
    for (std::size_t e = 1; e <= epochs; ++e) {
      rounds.train_epoch(e, 1.0);
      EXPECT_EQ(work->parameters_of(started->store(), rounds.scale()), test::counts_after(toy, e)) << "epoch " << e;
    }
    EXPECT_EQ(started->rows_lost(), 0u);
    std::uint64_t exchanges = 0;
    for (const worker_slot& slot : started->store().slots()) exchanges += slot.ring_exchanges.get();
    EXPECT_GT(exchanges, 0u);
  }
};

TEST_P(ring, of_processes_adds_up_what_a_margin_model_adds) {
  expect_every_add_once(test::counting_margins{}, 1'500);
}
TEST_P(ring, of_processes_adds_up_what_a_general_model_adds) {
  expect_every_add_once(test::counting_columns{1'500}, 1'500);
}

TEST_P(ring, of_processes_ends_where_serial_ends) {
  const auto toy = test::planted_classification({.rows = 20'000, .columns = 40});
  const train_options options{.epochs = 15, .step = {.initial = 0.5, .decay = 0.65}, .l2 = 0.01};
  const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
  const train_result run = train(logistic{}, toy.csr(), engine(), options);
  RecordProperty("above_serial", std::to_string(run.objective / serial - 1.0));
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_NEAR(run.objective, serial, 0.01 * serial);
  ASSERT_TRUE(run.ring);
  EXPECT_EQ(run.ring->replicas, replicas);
  EXPECT_GT(run.ring->exchanges, 0u);
}

INSTANTIATE_TEST_SUITE_P(of, ring, testing::Combine(testing::Values(2u, 4u), testing::Values(1u, 2u)));

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role ring_processes_role([](int argc, char** argv) -> std::optional<int> {
  using namespace hogwild;
  return worker_main<logistic, test::counting_margins, test::counting_columns>(argc, argv);
});
