// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <hogwild/detail/task/decorated_task.hpp>

#include "runtime.hpp"

namespace hogwild::device {

/// Opens the device that a run asks for. Throws resource_error where there is none.
std::unique_ptr<runtime> open_device(int number);

/// What it is called, by its driver where it is real. It is not opened for that. Throws as open_device() does.
std::string name_of_device(int number);

/// A task of which the first worker drives a device; the others work as they always do.
class device_task final : public decorated_task {
 public:
  /// `whole` must outlive this. Opens the device.
  device_task(const training_task& whole, int number);
  /// The same, keeping the whole; `drives`: whether this process has the first worker.
  device_task(std::unique_ptr<training_task> whole, int number, bool drives);
  ~device_task() override;

  void work(const worker_context& at) const override;

  /// The slot whose worker drives the device.
  static constexpr std::size_t device_slot = 0;

 private:
  struct driver;
  std::unique_ptr<driver> driver_;  ///< null where another process drives the device
};

}  // namespace hogwild::device
