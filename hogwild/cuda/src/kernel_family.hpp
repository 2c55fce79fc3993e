// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/task/training_task.hpp>

#include "half_replica.hpp"
#include "row_blocks.hpp"
#include "runtime.hpp"

namespace hogwild {
class run_planner;
}

namespace hogwild::device {

/// What a device trains on: the parameters and the optimiser's state where it reaches them, and the number of rows that
/// have changed something.
struct device_arrays {
  /// Arrays of its own: the parameters, and `state_arrays` arrays as long as those. The first `half_count` parameters
  /// are trained as halves.
  device_arrays(runtime& on, std::size_t parameters, std::size_t state_arrays, std::size_t half_count = 0)
      : updates(on, 1) {
    for (std::size_t k = 0; k <= state_arrays; ++k)
      values.emplace_back(own.emplace_back(on, parameters).data(), parameters);
    if (half_count > 0) halves.emplace(on, values[0].data(), half_count);
  }
  /// Arrays that others than the device read and add to meanwhile, at its addresses; they outlive this.
  device_arrays(runtime& on, std::vector<std::span<float>> shared)
      : values(std::move(shared)), system_scope(true), updates(on, 1) {}
  /// What they take of the device's memory.
  static std::uint64_t bytes(std::size_t parameters, std::size_t state_arrays, std::size_t half_count = 0) {
    return (state_arrays + 1) * std::uint64_t{parameters} * sizeof(float) + half_replica::bytes(half_count) +
           sizeof(std::uint64_t);
  }

  /// Names in the work of a launch the parameters, what counts, and who else uses them.
  template <class Work>
  void name_in(Work& work) const {
    work.weights = values[0].data();
    work.updates = updates.data();
    work.system_scope = system_scope;
  }

  std::vector<std::span<float>> values;
  bool system_scope = false;  ///< of all accesses to them
  buffer<std::uint64_t> updates;
  std::vector<buffer<float>> own;
  std::optional<half_replica> halves;  ///< trained in place of the parameters that they are the halves of
};

/// Rows of which a launch adds up the losses.
struct rows_to_measure {
  std::size_t first = 0, count = 0;
  double scale = 1;        ///< of margin models: w = scale * v, and the arrays have v
  double* sums = nullptr;  ///< on the device: those of loss_work
};

/// A model on a device: its rows there, and what a launch over some of them is told. Used by the worker that drives the
/// device.
class device_model {
 public:
  virtual ~device_model() = default;

  /// Where a chunk begins: its round, and its rows' position in the epoch.
  virtual void begin(const round_plan& round, double position) = 0;
  /// How many of `count` rows, at least 1, from `first` on a launch can have: at least 1, and all where rows stay on
  /// the device.
  virtual std::size_t room_for(std::size_t first, std::size_t count) const = 0;
  /// Trains rows [first, first + count), for which there is room and which follow those of the launch before. Rows that
  /// do not stay on the device are brought there, for this launch to be queued next; throws cache_error where they are
  /// damaged.
  virtual kernel_launch train(std::size_t first, std::size_t count) = 0;
  /// Whether there are kernels that measure the model on the device. Rows have to stay there.
  virtual bool measures() const { return false; }
  /// Where it does: adds up the losses of rows.
  virtual kernel_launch measure(const rows_to_measure&) { return {}; }
  /// Entries of these rows.
  virtual std::uint64_t nonzeros(std::size_t first, std::size_t count) const = 0;
};

/// Models that the same kernels train.
class kernel_family {
 public:
  /// Whether they train the task's model.
  virtual bool trains(const training_task& task) const = 0;
  /// Throws config_error where they do not train it under these options.
  virtual void require_options(const loop_options& options) const = 0;
  /// Throws config_error where they do not train this model of those, or not on this device.
  virtual void require_model(const training_task&, int /*device*/) const {}
  /// How many parameters, from the first on, can be stored as halves, an even number; 0: none.
  virtual std::size_t halves(const training_task&) const { return 0; }
  /// How many rows may see the same weights without that the loss suffers. Notes where an option makes them few.
  virtual double rows_in_flight(run_planner& run) const = 0;
  /// What the rows, and what the kernels need beside them, take of the memory of a device that has its own.
  virtual std::uint64_t bytes(const training_task& task, const loop_options& options) const;
  /// The same where rows do not stay there.
  virtual stream_needs needs_of_stream(const training_task& task, const loop_options& options = {}) const;
  /// Brings the rows to the device, or makes two blocks of `block_bytes` for them, where that is not 0. `arrays` and
  /// the task outlive what is returned; the options are those of the run.
  virtual std::unique_ptr<device_model> bring(runtime& device, const training_task& task, const device_arrays& arrays,
                                              const loop_options& options, std::uint64_t block_bytes = 0) const = 0;

 protected:
  ~kernel_family() = default;
};

/// Throws config_error where no kernels train the task's model.
const kernel_family& kernels_of(const training_task& task);

/// How many of the task's parameters, from the first on, a device stores as halves under these options.
std::size_t halves_of(const training_task& task, const loop_options& options);

/// Margin models.
const kernel_family& margin_kernels();
/// The model softmax.
const kernel_family& softmax_kernels();
/// The model factorization_machine.
const kernel_family& machine_kernels();
/// Matrix factorisation.
const kernel_family& rating_kernels();
/// The model skip_gram.
const kernel_family& window_kernels();
/// Models of programs, by the names that device_kernels gave to devices.
const kernel_family& named_kernel_family();

}  // namespace hogwild::device
