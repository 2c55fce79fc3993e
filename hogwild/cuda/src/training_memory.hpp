// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/private.hpp>
#include <hogwild/detail/task/training_task.hpp>

#include "kernel_family.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// Registers host memory with a device while this lives. Both outlive it.
class host_registration {
 public:
  /// Throws resource_error if registration is refused.
  host_registration(runtime& with, std::span<std::byte> memory)
      : with_(with), memory_(memory.data()), on_device_(with.register_host(memory.data(), memory.size())) {}
  ~host_registration() { with_.unregister_host(memory_); }
  host_registration(const host_registration&) = delete;
  host_registration& operator=(const host_registration&) = delete;

  /// The device's address of the memory.
  void* on_device() const { return on_device_; }

 private:
  runtime& with_;
  void* memory_;
  void* on_device_;
};

/// The memory on which a device trains, and the host's side of it, by the kind of memory: arrays of the device's own,
/// which are exchanged through arrays of the host (private.hpp), or the store itself. Used by the worker that drives
/// the device.
class training_memory {
 public:
  /// The device and the store outlive it. The first `half_count` parameters of a replica are trained as halves. Throws
  /// resource_error if the device has no room, or cannot access the store.
  training_memory(runtime& device, memory_kind kind, const param_store& store, std::size_t half_count = 0);

  device_arrays& arrays() { return *arrays_; }

  /// Called between rounds: copies the store's parameters to a device's own array. The next round copies all of its
  /// values again.
  void take_parameters(const param_store& store);

  /// The host's side of this worker's exchanges in a round; no arrays if the device trains on the store. Memory for
  /// copies is registered at its first use; if that is refused, the worker's slot says so, and copies take longer.
  /// Throws registered_in_part, and std::length_error for another store than the constructor's that has more
  /// parameters.
  std::unique_ptr<private_arrays<float>> host_side(const worker_context& at,
                                                   const std::vector<parameter_group>& groups);

 private:
  void make_room(const store_shape& shape);
  void register_once(const private_arrays<float>& host, worker_slot& me);

  runtime& device_;
  memory_kind kind_;
  private_memory room_{};    ///< registered host memory, large enough for a replica, so that it never moves
  worker_memory replica_{};  ///< in room_
  std::optional<host_registration> registered_{};
  bool refused_ = false;
  std::optional<device_arrays> arrays_{};
};

/// Unified memory for a store, which keeps the device. Throws resource_error if it would take more than half of the
/// free memory there: the rest is for the rows, and pages that do not fit would move at every access.
std::shared_ptr<std::byte> managed_memory(const std::shared_ptr<runtime>& device, std::size_t bytes);

}  // namespace hogwild::device
