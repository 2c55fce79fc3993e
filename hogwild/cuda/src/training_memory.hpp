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

/// Memory of the host that is registered with a device for as long as this lives. Both outlive it.
class host_registration {
 public:
  /// Throws resource_error where it is refused.
  host_registration(runtime& with, std::span<std::byte> memory)
      : with_(with), memory_(memory.data()), on_device_(with.register_host(memory.data(), memory.size())) {}
  ~host_registration() { with_.unregister_host(memory_); }
  host_registration(const host_registration&) = delete;
  host_registration& operator=(const host_registration&) = delete;

  /// Where the memory begins for the device.
  void* on_device() const { return on_device_; }

 private:
  runtime& with_;
  void* memory_;
  void* on_device_;
};

/// Where a device trains, and what of it the host sees, by the kind of memory: arrays of the device's own, which meet
/// the others through arrays of the host (private.hpp), or the store itself. Used by the worker that drives the device.
class training_memory {
 public:
  /// The device and the store outlive it. Of a replica the first `half_count` parameters are trained as halves. Throws
  /// resource_error where the device has no room, or does not reach the store.
  training_memory(runtime& device, memory_kind kind, const param_store& store, std::size_t half_count = 0);

  device_arrays& arrays() { return *arrays_; }

  /// Between rounds: a device's own array of parameters gets those of the store. The next round gives it all of its
  /// values anew.
  void take_parameters(const param_store& store);

  /// What the device's arrays meet in a round of this worker; none where they are the store's. Memory that copies go
  /// through is registered when it is first used; where that is refused, the worker's slot says so, and copies take
  /// longer. Throws registered_in_part, and std::length_error of another store than the constructor's that has more
  /// parameters.
  std::unique_ptr<private_arrays<float>> host_side(const worker_context& at,
                                                   const std::vector<parameter_group>& groups);

 private:
  void make_room(const store_shape& shape);
  void register_once(const private_arrays<float>& host, worker_slot& me);

  runtime& device_;
  memory_kind kind_;
  private_memory room_{};    ///< of the host, for what is registered: all that a replica takes, so that it never moves
  worker_memory replica_{};  ///< there
  std::optional<host_registration> registered_{};
  bool refused_ = false;
  std::optional<device_arrays> arrays_{};
};

/// Unified memory for a store, which keeps the device. Throws resource_error where it would be more than half of what
/// is free there: the rest is for the rows, and what does not fit travels at every access.
std::shared_ptr<std::byte> managed_memory(const std::shared_ptr<runtime>& device, std::size_t bytes);

}  // namespace hogwild::device
