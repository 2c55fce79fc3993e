// SPDX-License-Identifier: Apache-2.0
// The memory in which a device keeps the parameters, and the fallback if CUDA refuses it, by a device that refuses.
#include "training_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "device_task.hpp"
#include "forwarding_device.hpp"
#include "kernel_family.hpp"
#include "room_for_rows.hpp"
#include "support/comes_to.hpp"
#include "support/planned_task.hpp"
#include "support/refusal.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;
using namespace hogwild::device;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// The requests to a device, and the limits of its answers.
struct ledger {
  std::set<void*> registered{}, managed{};
  std::size_t registrations = 0, moves = 0;
  bool registers = true;
  bool others_register = false;                           ///< others have registered a part of the memory
  std::uint64_t free_bytes = UINT64_MAX;                  ///< the most that the device reports
  std::uint64_t memory_bytes = device::unlimited_memory;  ///< of the device
  std::uint64_t longest_piece = UINT64_MAX;               ///< of its memory
  std::size_t allocations = 0;                            ///< requested so far
  std::size_t refused_allocation = 0;                     ///< the one that others are faster than, counted from 1
  bool breaks = false;                                    ///< the device cannot be used after that one
};

/// The emulated device; it keeps the ledger and stays within its limits.
class accountable_device final : public test::forwarding_device {
 public:
  explicit accountable_device(ledger& accounts)
      : forwarding_device(device::open_emulated(2, accounts.memory_bytes)), accounts_(accounts) {}

  std::uint64_t free_bytes() const override { return std::min(accounts_.free_bytes, forwarding_device::free_bytes()); }
  void* allocate(std::size_t bytes) override {
    if (++accounts_.allocations == accounts_.refused_allocation) {
      if (accounts_.breaks) throw resource_error("broken");
      throw device::no_room("not now");
    }
    if (bytes > accounts_.longest_piece) throw device::no_room("not in one piece");
    return forwarding_device::allocate(bytes);
  }
  void* allocate_managed(std::size_t bytes) override {
    return *accounts_.managed.insert(forwarding_device::allocate_managed(bytes)).first;
  }
  void release(void* memory) noexcept override {
    accounts_.managed.erase(memory);
    forwarding_device::release(memory);
  }
  void* register_host(void* memory, std::size_t bytes) override {
    ++accounts_.registrations;
    if (accounts_.others_register) throw device::registered_in_part("not all of it");
    if (!accounts_.registers) throw resource_error("not here");
    accounts_.registered.insert(memory);
    return forwarding_device::register_host(memory, bytes);
  }
  void unregister_host(void* memory) noexcept override {
    forwarding_device::unregister_host(memory);
    accounts_.registered.erase(memory);
  }
  void take_near(std::span<std::byte> managed) override {
    ++accounts_.moves;
    forwarding_device::take_near(managed);
  }

 private:
  ledger& accounts_;
};

/// A run of two workers; the first drives the device.
struct accountable_run {
  accountable_run(ledger& accounts, memory_kind memory)
      : planned(make_task(logistic{}, rows.view(), label_map(), {.rows_in_flight = 4, .memory = memory})) {
    const bool replica = memory == memory_kind::device;
    planned.set_sharing(replica ? access_kind::buffered : access_kind::direct, {.rows = 64, .workers = 2});
    std::vector<std::unique_ptr<device::runtime>> devices;
    devices.push_back(std::make_unique<accountable_device>(accounts));
    work = std::make_unique<device::device_task>(*planned, std::move(devices), memory);
    members = start(thread_engine{.workers = 2, .team = thread_team_kind::std, .pin = false}, *work, planned.plan, {});
  }
  ~accountable_run() { work->leave_store(); }

  const worker_slot& driver() const { return members->store().slots()[0]; }
  train_result train() {
    resolved_run run{.options = {.epochs = 3}, .schedule = {schedule_kind::constant, 0.1, 0.0}};
    return planned.train(*members, std::move(run));
  }

  test::kept_rows rows = test::planted_classification({.rows = 500, .columns = 40, .per_row = 5});
  test::planned_task planned;
  std::unique_ptr<device::device_task> work;
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

// Otherwise the run would end at the first copy, with an error that does not say why.
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
  device.run({.on_host = [waits = ::gettid()](std::size_t, std::size_t) {
    EXPECT_TRUE(test::comes_to('S', ::getpid(), waits));
  }});
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
  EXPECT_THAT(test::refusal_of<resource_error>([&] { run.train(); }),
              AllOf(HasSubstr("(not here)"), HasSubstr("leave its memory at")));
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
  EXPECT_THAT(test::refusal_of<resource_error>([&] { const accountable_run run(accounts, memory_kind::managed); }),
              testing::HasSubstr("needs " + std::to_string(bytes) + " bytes"));
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

constexpr std::uint64_t room_for_all = 10'000'000;

/// The error of the run; empty if it succeeds.
std::string refusal_of(accountable_run& run) {
  const auto train = [&] {
    const train_result r = run.train();
    EXPECT_EQ(r.status, run_status::done);
    EXPECT_LT(r.train_loss, 0.68);  // 0.693 before
  };
  return test::refusal_of<resource_error>(train, "");
}

TEST(room_for_rows, that_others_have_taken_is_no_reason_to_give_up) {
  std::size_t refused = 0;
  for (;; ++refused) {
    ledger accounts{.memory_bytes = room_for_all, .refused_allocation = refused + 1};
    accountable_run run(accounts, memory_kind::device);
    EXPECT_EQ(refusal_of(run), "") << "allocation " << refused + 1;
    const bool all_given = accounts.allocations <= refused;
    EXPECT_EQ(run.driver().row_block_bytes.get() == 0, all_given) << "allocation " << refused + 1;
    if (all_given) break;
  }
  EXPECT_GE(refused, 3u);  // parameters, row counters, the rows themselves
}

TEST(room_for_rows, that_lies_in_pieces_takes_blocks_as_long_as_those) {
  ledger accounts{.memory_bytes = room_for_all, .longest_piece = 5000};
  accountable_run run(accounts, memory_kind::device);
  EXPECT_EQ(refusal_of(run), "");
  EXPECT_LE(run.driver().row_block_bytes.get(), 5000u);
  EXPECT_GT(run.driver().row_block_bytes.get(), 2500u);
}

// Rows of 5 entries: starts, columns, values and a label, each on its own boundary of 256 bytes.
TEST(room_for_rows, that_has_no_piece_for_one_row_ends_the_run_with_what_is_needed_and_free) {
  ledger accounts{.memory_bytes = room_for_all, .longest_piece = 1023};
  accountable_run run(accounts, memory_kind::device);
  EXPECT_THAT(refusal_of(run), AllOf(HasSubstr("two blocks of its longest row 2048, "),
                                     HasSubstr(std::to_string(room_for_all) + " bytes are free, but not in pieces")));
}

// The second allocation is that of the rows.
TEST(room_for_rows, keeps_nothing_half_made_when_something_else_fails) {
  ledger accounts{.memory_bytes = room_for_all, .refused_allocation = 2, .breaks = true};
  accountable_run run(accounts, memory_kind::pinned);
  EXPECT_EQ(refusal_of(run), "broken");
  EXPECT_EQ(accounts.registrations, 1u);
  EXPECT_TRUE(accounts.registered.empty());
}

// The store is not there yet when rows are dealt out. A store in host memory takes no room.
TEST(room_for_rows, leaves_room_for_a_store_in_managed_memory) {
  for (const memory_kind memory : {memory_kind::managed, memory_kind::pinned}) {
    ledger accounts;
    accountable_run run(accounts, memory);
    accounts.free_bytes = device::device_arrays::bytes(40, 0) - 1;
    EXPECT_THAT(refusal_of(run), HasSubstr(memory == memory_kind::managed ? "need 168 bytes" : "")) << int(memory);
    EXPECT_EQ(accounts.registrations, memory == memory_kind::pinned ? 1u : 0u);
  }
}

// Ratings and floats fit beside each other; halves take two more bytes each.
TEST(room_for_rows, counts_the_halves_that_factors_are_trained_as) {
  const test::kept_rows all = test::planted_ratings();
  const matrix_factorization model = test::factors_of({});
  const std::size_t halves = 200 * model.width();
  for (const storage_kind storage : {storage_kind::single, storage_kind::half}) {
    const loop_options options{.storage = storage};
    const auto task = make_task(model, all.view(), label_map(), options);
    const std::uint64_t floats = sizeof(float) * model.dim() + sizeof(std::uint64_t);
    const std::uint64_t arrays = floats + (storage == storage_kind::half ? 2 * halves : 0);
    const std::uint64_t rows = device::kernels_of(*task).bytes(*task, options);
    const auto streams = [&](std::uint64_t memory) {
      ledger accounts{.memory_bytes = memory};
      const accountable_device device(accounts);
      return device::room_for_rows(device, *task, options, {.parameters = model.dim()}).block_bytes() != 0;
    };
    EXPECT_FALSE(streams(arrays + rows)) << int(storage);
    EXPECT_TRUE(streams(arrays + rows - 1)) << int(storage);
    EXPECT_THROW(streams(arrays), resource_error) << int(storage);
  }
}

}  // namespace
