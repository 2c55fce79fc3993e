// SPDX-License-Identifier: Apache-2.0
// Where a device keeps what it trains, and what happens where CUDA does not give it: by a device that refuses.
#include "training_memory.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "device_task.hpp"
#include "support/planned_task.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using namespace hogwild::device;

namespace {

/// What a device was asked for, and what it gives.
struct ledger {
  std::set<void*> registered{}, managed{};
  std::size_t registrations = 0, moves = 0;
  bool registers = true;
  std::uint64_t free_bytes = UINT64_MAX;
};

/// The emulated device, which keeps accounts, and registers and has no more than the ledger says.
class accountable_device final : public runtime {
 public:
  explicit accountable_device(ledger& accounts) : accounts_(accounts), inner_(open_emulated(2)) {}

  const device_facts& facts() const override { return inner_->facts(); }
  std::uint64_t free_bytes() const override { return accounts_.free_bytes; }
  void* allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  void* allocate_managed(std::size_t bytes) override {
    return *accounts_.managed.insert(inner_->allocate_managed(bytes)).first;
  }
  void release(void* memory) noexcept override {
    accounts_.managed.erase(memory);
    inner_->release(memory);
  }
  void* register_host(void* memory, std::size_t bytes) override {
    ++accounts_.registrations;
    if (!accounts_.registers) throw resource_error("not here");
    accounts_.registered.insert(memory);
    return inner_->register_host(memory, bytes);
  }
  void unregister_host(void* memory) noexcept override {
    inner_->unregister_host(memory);
    accounts_.registered.erase(memory);
  }
  void take_near(std::span<std::byte> managed) override {
    ++accounts_.moves;
    inner_->take_near(managed);
  }
  void upload(void* to, const void* from, std::size_t bytes) override { inner_->upload(to, from, bytes); }
  void upload_ahead(void* to, const void* from, std::size_t bytes) override { inner_->upload_ahead(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { inner_->download(to, from, bytes); }
  void zero(void* memory, std::size_t bytes) override { inner_->zero(memory, bytes); }
  void run(const kernel_launch& launch) override { inner_->run(launch); }
  std::uint64_t mark() override { return inner_->mark(); }
  void wait(std::uint64_t mark) override { inner_->wait(mark); }
  bool reached(std::uint64_t mark) override { return inner_->reached(mark); }
  void drain() noexcept override { inner_->drain(); }

 private:
  ledger& accounts_;
  std::unique_ptr<runtime> inner_;
};

/// A run of two workers, of which the first drives the device.
struct accountable_run {
  accountable_run(ledger& accounts, memory_kind memory)
      : rows(toy.csr()),
        planned(make_task(logistic{}, rows.view(), label_map(), {.rows_in_flight = 4, .memory = memory})) {
    const bool replica = memory == memory_kind::device;
    planned.set_sharing(replica ? access_kind::buffered : access_kind::direct, {.rows = 64, .workers = 2});
    std::vector<std::unique_ptr<runtime>> devices;
    devices.push_back(std::make_unique<accountable_device>(accounts));
    work = std::make_unique<device_task>(*planned, std::move(devices), memory);
    members = start(thread_engine{.workers = 2, .team = thread_team_kind::std, .pin = false}, *work, planned.plan, {});
  }
  ~accountable_run() { work->leave_store(); }

  const worker_slot& driver() const { return members->store().slots()[0]; }
  train_result train() {
    resolved_run run{.options = {.epochs = 3}, .schedule = {schedule_kind::constant, 0.1, 0.0}};
    return planned.train(*members, std::move(run));
  }

  test::toy_rows toy = test::planted_classification({.rows = 500, .columns = 40, .per_row = 5});
  csr_rows rows;
  test::planned_task planned;
  std::unique_ptr<device_task> work;
  std::unique_ptr<engine_run> members;
};

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
