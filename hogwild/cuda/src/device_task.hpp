// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/task/decorated_task.hpp>

#include "runtime.hpp"

namespace hogwild::device {

class common_model;

/// Opens a device that a run asks for. Throws resource_error where there is none. Of `emulated` devices each has a part
/// of the CPUs.
std::unique_ptr<runtime> open_device(int number, std::size_t emulated = 1);
/// The same for the device of a slot.
std::unique_ptr<runtime> open_device_of(const loop_options& options, std::size_t slot);

/// What it is, by its driver where it is real. It is not opened for that. Throws as open_device() does.
device_facts facts_of_device(int number);

/// A task of which the first workers drive a device each; the others work as they always do.
class device_task final : public decorated_task {
 public:
  /// `whole` must outlive this. The worker in slot k drives device k. `memory` is that of the plan.
  device_task(const training_task& whole, std::vector<std::unique_ptr<runtime>> devices, memory_kind memory);
  /// The same for a process with one worker, keeping the whole: opens the device of its slot, where that has one.
  device_task(std::unique_ptr<training_task> whole, const loop_options& options, std::size_t slot);
  ~device_task() override;

  void work(const worker_context& at) const override;
  memory_source store_memory() const override;

  /// The mean loss of the first `rows` training rows under the store's parameters with this scale, measured by the
  /// first device where that has the rows and reads the parameters from memory that is near to it; nothing elsewhere,
  /// which is where the CPU is to measure: rows that are brought for each launch would be brought once more, parameters
  /// in pinned memory are read over the bus a few bytes at a time, and what processes drive is theirs. A device with an
  /// array of its own gets the store's parameters first, whoever has trained: it may have those of a replica, or of
  /// before a divergence. As engine_run::train_loss() otherwise.
  std::optional<double> train_loss(const param_store& store, std::size_t rows, double scale,
                                   const std::stop_token& stop) const;
  /// Before the first round, where each worker drives a device: from now on their replicas meet in the memory of the
  /// first one, and the store has the parameters from give() to take() alone. Else says why they do not.
  std::string meet_by_peers(const param_store& store, update_kind update);
  /// Where they meet; null: in the store.
  common_model* common() const { return common_.get(); }

  /// Before the store goes: gives back what devices have of it. Nobody works any more.
  void leave_store() noexcept;

 private:
  struct driver;
  std::vector<std::unique_ptr<driver>> drivers_;  ///< by slots; null where another process drives the device
  memory_kind memory_;
  std::unique_ptr<common_model> common_;  ///< behind the devices that it lies on
};

}  // namespace hogwild::device
