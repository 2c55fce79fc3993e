// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <hogwild/detail/task/decorated_task.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

#include "runtime.hpp"

namespace hogwild::device {

class common_model;

/// Opens a device that a run asks for. Throws resource_error if there is none. Each of `emulated` devices has a part of
/// the CPUs.
std::unique_ptr<runtime> open_device(int number, std::size_t emulated = 1);
/// The same for the device of a slot.
std::unique_ptr<runtime> open_device_of(const loop_options& options, std::size_t slot);

/// Facts about a device, from its driver if it is real, without opening it. Throws like open_device().
device_facts facts_of_device(int number);

/// A task whose first workers drive a device each; the others work as usual.
class device_task final : public decorated_task {
 public:
  /// `whole` must outlive this. The worker in slot k drives device k. `memory` is that of the plan.
  device_task(const training_task& whole, std::vector<std::unique_ptr<runtime>> devices, memory_kind memory);
  /// The same for a process with one worker, owning the whole task: opens the device of its slot, if the slot has one.
  device_task(std::unique_ptr<training_task> whole, const loop_options& options, std::size_t slot);
  ~device_task() override;

  void work(const worker_context& at) const override;
  memory_source store_memory() const override;

  /// The mean loss of the first `rows` training rows under the store's parameters with this scale. The first device
  /// measures it if it has the rows and reads the parameters from memory near to it. Otherwise the result is nothing
  /// and the CPU measures: rows that are copied for each launch would be copied once more, parameters in pinned memory
  /// are read over the bus a few bytes at a time, and devices of other processes cannot be used. A device with an array
  /// of its own gets the store's parameters first: its array may have those of a replica, or of before a divergence. As
  /// engine_run::train_loss() otherwise.
  std::optional<double> train_loss(const param_store& store, std::size_t rows, double scale,
                                   const std::stop_token& stop) const;
  /// Called before the first round, if each worker drives a device: from now on their replicas exchange in the memory
  /// of the first device, and the store has the parameters only between give() and take(). Otherwise returns why they
  /// do not.
  std::string meet_by_peers(const param_store& store, update_kind update);
  /// Where they exchange; null: in the store.
  common_model* common() const { return common_.get(); }

  /// Called before the store is destroyed, when nobody works any more: releases the devices' hold on it.
  void leave_store() noexcept;

 private:
  struct driver;
  std::vector<std::unique_ptr<driver>> drivers_;  ///< by slots; null where another process drives the device
  memory_kind memory_;
  std::unique_ptr<common_model> common_;  ///< declared after the devices on which it lies
};

}  // namespace hogwild::device
