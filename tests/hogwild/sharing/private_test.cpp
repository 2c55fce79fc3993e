// SPDX-License-Identifier: Apache-2.0
// One worker, alone or as a rank whose parameters are averaged. Replicas have a test of their own.
#include <hogwild/detail/sharing/private.hpp>

#include <memory>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>
#include <hogwild/detail/sharing/gathered.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/detail/task/training_task.hpp>

using namespace hogwild;

namespace {

struct counting_hook final : exchange_hook {
  void exchanged(std::size_t) override { ++meetings; }
  void ended() override { ++ends; }
  std::size_t meetings = 0, ends = 0;
};

struct private_arrays_test : testing::Test {
  std::unique_ptr<private_arrays<float>> arrays_of(access_kind kind, const param_store& of) {
    return private_arrays_of<float>(kind, {plan, of, 1, memory, &others}, {}, no_singletons);
  }

  const param_store store = param_store::in_memory({.parameters = 40, .state_arrays = 1, .workers = 2, .ring = 2});
  const param_store mine = store.replica_view(1);
  const loop_plan plan{};
  worker_memory memory;
  counting_hook others;
  race_probe probe{store.slots(), 1, false};
};

TEST_F(private_arrays_test, of_a_worker_alone_are_the_shared_ones_and_are_never_exchanged) {
  const auto arrays = arrays_of(access_kind::alone, store);
  private_sharing<float> sharing(*arrays);
  sharing.begin_round({.exchange_rows = 10});
  sharing.parameters().add(3, 0.5f);
  sharing.state(0).add(5, 1.5f);
  EXPECT_EQ(store.parameters<float>()[3], 0.5f);
  EXPECT_EQ(store.state<float>(0)[5], 1.5f);
  EXPECT_EQ(sharing.state_values().data(), store.state<float>(0).data());
  sharing.exchange(100, probe);
  EXPECT_EQ(sharing.rows_to_exchange(), static_cast<std::size_t>(-1));
  sharing.end_round();
  EXPECT_EQ(others.meetings + others.ends, 0u);
  EXPECT_EQ(store.slots()[1].unsent.get(), 0u);  // nothing is lost with the worker
}

TEST_F(private_arrays_test, averaged_are_the_parameters_and_the_state_of_their_rank) {
  const auto arrays = arrays_of(access_kind::averaged, mine);
  private_sharing<float> sharing(*arrays);
  sharing.parameters().add(3, 0.5f);
  sharing.state(0).add(5, 1.5f);
  EXPECT_EQ(sharing.reader()[3], 0.5f);
  EXPECT_EQ(mine.parameters<float>()[3], 0.5f);
  EXPECT_EQ(mine.state<float>(0)[5], 1.5f);
  EXPECT_EQ(mine.beside<float>(0)[3], 0.0f);
}

// Ranks whose parameters are averaged, and those whose gains are gathered.
TEST_F(private_arrays_test, ranks_meet_after_so_many_rows_and_go_on_meeting_at_the_end) {
  const auto meet = [&](auto sharing) {
    others.meetings = others.ends = 0;
    sharing.begin_round({.exchange_rows = 10});
    const auto train = [&](std::size_t rows) {
      EXPECT_LE(rows, sharing.rows_to_exchange());
      sharing.exchange(rows, probe);
    };
    train(6);
    EXPECT_EQ(sharing.rows_to_exchange(), 4u);
    EXPECT_EQ(others.meetings, 0u);
    train(4);
    EXPECT_EQ(others.meetings, 1u);
    EXPECT_EQ(sharing.rows_to_exchange(), 10u);
    train(10);
    train(3);
    EXPECT_EQ(others.meetings, 2u);
    EXPECT_EQ(others.ends, 0u);
    sharing.end_round();
    EXPECT_EQ(others.ends, 1u);
    // The rows that were left belong to the round that is over.
    sharing.begin_round({.exchange_rows = 10});
    EXPECT_EQ(sharing.rows_to_exchange(), 10u);
  };
  const auto arrays = arrays_of(access_kind::averaged, mine);
  meet(private_sharing<float>(*arrays));
  meet(gathered_sharing<float>(mine, others));
}

}  // namespace
