// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "device_task.hpp"
#include "forwarding_device.hpp"
#include "support/planned_task.hpp"
#include "support/toy_data.hpp"

namespace hogwild::test {

/// The requests to a device, and the limits of its answers.
struct ledger {
  std::set<void*> registered{}, managed{};
  std::size_t registrations = 0, moves = 0;
  bool registers = true;
  bool others_register = false;                           ///< a part of all memory
  std::uint64_t free_bytes = UINT64_MAX;                  ///< that the device tells, at most
  std::uint64_t memory_bytes = device::unlimited_memory;  ///< that it has
  std::uint64_t longest_piece = UINT64_MAX;               ///< of its memory
  std::size_t allocations = 0;                            ///< that were asked for
  std::size_t refused_allocation = 0;                     ///< the only one that others are faster than, counted from 1
  bool breaks = false;                                    ///< it cannot be used after that one
};

/// The emulated device, which keeps accounts, and registers and has no more than the ledger says.
class accountable_device final : public forwarding_device {
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
      : rows(toy.csr()),
        planned(make_task(logistic{}, rows.view(), label_map(), {.rows_in_flight = 4, .memory = memory})) {
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

  toy_rows toy = planted_classification({.rows = 500, .columns = 40, .per_row = 5});
  csr_rows rows;
  planned_task planned;
  std::unique_ptr<device::device_task> work;
  std::unique_ptr<engine_run> members;
};

}  // namespace hogwild::test
