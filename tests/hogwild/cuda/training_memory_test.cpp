// SPDX-License-Identifier: Apache-2.0
// The memory in which a device keeps the parameters, and the fallback if CUDA refuses it, by a device that refuses.
#include "training_memory.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include <hogwild/error.hpp>

#include "accountable_run.hpp"

using namespace hogwild;
using namespace hogwild::device;
using test::accountable_device;
using test::accountable_run;
using test::ledger;

namespace {

TEST(a_replica, is_copied_through_memory_that_is_registered_once_and_given_back) {
  ledger accounts;
  {
    accountable_run run(accounts, memory_kind::device);
    EXPECT_EQ(run.train().status, run_status::done);
    EXPECT_EQ(accounts.registrations, 1u);
    EXPECT_EQ(accounts.registered.size(), 1u);
    EXPECT_EQ(run.driver().pageable.load(), 0u);
  }
  EXPECT_TRUE(accounts.registered.empty());
}

TEST(a_replica, is_copied_all_the_same_where_registration_is_refused_and_the_slot_says_so) {
  ledger accounts{.registers = false};
  accountable_run run(accounts, memory_kind::device);
  const train_result r = run.train();
  EXPECT_EQ(r.status, run_status::done);
  EXPECT_LT(r.train_loss, 0.68);  // 0.693 before
  EXPECT_EQ(accounts.registrations, 1u) << "asked again";
  EXPECT_EQ(run.driver().pageable.load(), 1u);
}

// Going on would end at the first copy, which does not say why.
TEST(a_replica, ends_the_run_where_others_have_registered_a_part_of_its_memory) {
  ledger accounts{.others_register = true};
  accountable_run run(accounts, memory_kind::device);
  EXPECT_THROW(run.train(), registered_in_part);
}

TEST(a_replica, has_room_for_its_store_and_never_moves_to_more) {
  ledger accounts;
  accountable_device device(accounts);
  const loop_plan plan{.options = {.sharing = access_kind::buffered}};
  worker_memory other;
  const auto arrays_of = [&](training_memory& memory, const param_store& store) {
    return memory.host_side({plan, store, 0, other, nullptr}, {});
  };
  const auto store_of = [](std::size_t parameters) {
    return param_store::in_memory({.parameters = parameters, .state_arrays = 1});
  };
  const param_store store = store_of(1000), larger = store_of(100'000);
  training_memory memory(device, memory_kind::device, store);
  const float* const place = arrays_of(memory, store)->values(0).data();
  EXPECT_THROW(arrays_of(memory, larger), std::length_error);
  EXPECT_EQ(arrays_of(memory, store)->values(0).data(), place);
  EXPECT_EQ(accounts.registrations, 1u);
}

TEST(a_replica, has_taken_the_parameters_when_they_may_change_again) {
  ledger accounts;
  accountable_device device(accounts);
  const param_store store = param_store::in_memory({.parameters = 3});
  training_memory memory(device, memory_kind::device, store);
  std::ranges::fill(store.parameters<float>(), 7.0f);
  device.run({.on_host = [](std::size_t, std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }});
  memory.take_parameters(store);
  std::ranges::fill(store.parameters<float>(), 8.0f);
  device.wait(device.mark());
  EXPECT_THAT(memory.arrays().values[0], testing::Each(7.0f));
}

TEST(pinned_memory, is_the_store_itself_registered_once_and_given_back_before_it_goes) {
  ledger accounts;
  {
    accountable_run run(accounts, memory_kind::pinned);
    EXPECT_EQ(run.train().status, run_status::done);
    EXPECT_EQ(accounts.registrations, 1u);
    EXPECT_THAT(accounts.registered, testing::ElementsAre(run.members->store().parameters<float>().data()));
  }
  EXPECT_TRUE(accounts.registered.empty());
}

TEST(pinned_memory, that_cannot_be_registered_ends_the_run_with_a_sentence) {
  ledger accounts{.registers = false};
  accountable_run run(accounts, memory_kind::pinned);
  try {
    run.train();
    ADD_FAILURE() << "nothing was refused";
  } catch (const resource_error& e) {
    EXPECT_EQ(e.code(), exit_code::resources);
    EXPECT_THAT(e.what(), testing::AllOf(testing::HasSubstr("(not here)"), testing::HasSubstr("leave its memory at")));
  }
}

TEST(managed_memory, has_the_store_is_moved_each_round_and_outlives_the_task) {
  ledger accounts;
  {
    accountable_run run(accounts, memory_kind::managed);
    const train_result r = run.train();
    EXPECT_EQ(r.status, run_status::done);
    EXPECT_LT(r.train_loss, 0.68);
    EXPECT_GE(accounts.moves, 3u);
    ASSERT_EQ(accounts.managed.size(), 1u);
    EXPECT_EQ(*accounts.managed.begin(), run.members->store().bytes().data());
    run.work->leave_store();
    EXPECT_EQ(accounts.managed.size(), 1u);
  }
  EXPECT_TRUE(accounts.managed.empty());
}

TEST(managed_memory, is_at_most_half_of_what_is_free) {
  ledger accounts;
  std::size_t bytes = 0;
  {
    const accountable_run run(accounts, memory_kind::managed);
    bytes = run.members->store().bytes().size();
  }
  accounts.free_bytes = 2 * bytes;
  EXPECT_NO_THROW(accountable_run(accounts, memory_kind::managed));
  accounts.free_bytes = 2 * bytes - 1;
  try {
    const accountable_run run(accounts, memory_kind::managed);
    ADD_FAILURE() << "nothing was refused";
  } catch (const resource_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("needs " + std::to_string(bytes) + " bytes"));
  }
  EXPECT_TRUE(accounts.managed.empty());
}

TEST(device_arrays, are_named_with_their_scope_in_the_work_of_a_launch) {
  const auto emulated = open_emulated(1);
  const device_arrays own(*emulated, 3, 1);
  margin_work work;
  own.name_in(work);
  EXPECT_EQ(work.weights, own.values[0].data());
  EXPECT_EQ(work.updates, own.updates.data());
  EXPECT_FALSE(work.system_scope);
  std::vector<float> of_all(3);
  device_arrays(*emulated, {std::span(of_all)}).name_in(work);
  EXPECT_EQ(work.weights, of_all.data());
  EXPECT_TRUE(work.system_scope);
}

}  // namespace
