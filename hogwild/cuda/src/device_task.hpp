// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hogwild/detail/task/decorated_task.hpp>

#include "runtime.hpp"

namespace hogwild::device {

/// Opens the device that a run asks for. Throws resource_error where there is none.
std::unique_ptr<runtime> open_device(int number);

/// What it is, by its driver where it is real. It is not opened for that. Throws as open_device() does.
device_facts facts_of_device(int number);

/// A task of which the first worker drives a device; the others work as they always do.
class device_task final : public decorated_task {
 public:
  /// `whole` must outlive this. `memory` is that of the plan.
  device_task(const training_task& whole, std::unique_ptr<runtime> device, memory_kind memory);
  /// The same, keeping the whole; `device` is null where another process drives it.
  device_task(std::unique_ptr<training_task> whole, std::unique_ptr<runtime> device, memory_kind memory);
  ~device_task() override;

  void work(const worker_context& at) const override;
  memory_source store_memory() const override;

  /// Before the store goes: gives back what the device has of it. Nobody works any more.
  void leave_store() noexcept;

  /// The slot whose worker drives the device.
  static constexpr std::size_t device_slot = 0;

 private:
  struct driver;
  std::unique_ptr<driver> driver_;  ///< null where another process drives the device
  memory_kind memory_;
};

}  // namespace hogwild::device
