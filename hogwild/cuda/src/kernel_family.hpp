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
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

#include "half_replica.hpp"
#include "row_blocks.hpp"
#include "runtime.hpp"

namespace hogwild {
class run_planner;
}

namespace hogwild::device {

/// The arrays that a device trains: parameters and optimiser state at the device's addresses, and the count of rows
/// that have changed something.
struct device_arrays {
  /// Arrays of its own: the parameters, and `state_arrays` arrays as long as those. The first `half_count` parameters
  /// are trained as halves.
  device_arrays(runtime& on, std::size_t parameters, std::size_t state_arrays, std::size_t half_count = 0)
      : updates(on, 1) {
    for (std::size_t k = 0; k <= state_arrays; ++k)
      values.emplace_back(own.emplace_back(on, parameters).data(), parameters);
    if (half_count > 0) halves.emplace(on, values[0].data(), half_count);
  }
  /// Arrays that others than the device read and add to meanwhile, at the device's addresses; they outlive this.
  device_arrays(runtime& on, std::vector<std::span<float>> shared)
      : values(std::move(shared)), system_scope(true), updates(on, 1) {}
  /// Their size in the device's memory.
  static std::uint64_t bytes(std::size_t parameters, std::size_t state_arrays, std::size_t half_count = 0) {
    return (state_arrays + 1) * std::uint64_t{parameters} * sizeof(float) + half_replica::bytes(half_count) +
           sizeof(std::uint64_t);
  }

  /// Sets the parameters, the counter and the scope in the work of a launch.
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
  std::optional<half_replica> halves;  ///< trained in place of the parameters that they represent
};

/// Rows whose losses a launch adds up.
struct rows_to_measure {
  std::size_t first = 0, count = 0;
  double scale = 1;        ///< for margin models: w = scale * v, and the arrays have v
  double* sums = nullptr;  ///< on the device: as in loss_work
};

/// A model on a device: its rows there, and the arguments of launches over some of them. Used by the worker that drives
/// the device.
class device_model {
 public:
  virtual ~device_model() = default;

  /// Called at the beginning of a chunk: its round, and its rows' position in the epoch.
  virtual void begin(const round_plan& round, double position) = 0;
  /// How many of `count` rows, at least 1, from `first` on fit into a launch: at least 1, and all if rows stay on the
  /// device.
  virtual std::size_t room_for(std::size_t first, std::size_t count) const = 0;
  /// Trains rows [first, first + count), which fit and follow those of the launch before. Rows that do not stay on the
  /// device are copied there for this launch, which must be queued next; throws cache_error if they are damaged.
  virtual kernel_launch train(std::size_t first, std::size_t count) = 0;
  /// Whether there are kernels that measure the model on the device. Rows have to stay there.
  virtual bool measures() const { return false; }
  /// If there are: adds up the losses of rows.
  virtual kernel_launch measure(const rows_to_measure&) { return {}; }
  /// How many entries these rows have.
  virtual std::uint64_t nonzeros(std::size_t first, std::size_t count) const = 0;
};

/// Models that the same kernels train.
class kernel_family {
 public:
  /// Whether the kernels train the task's model.
  virtual bool trains(const training_task& task) const = 0;
  /// Throws config_error if the kernels do not train it under these options.
  virtual void require_options(const loop_options& options) const = 0;
  /// Throws config_error if the kernels do not train this particular model, or not on this device.
  virtual void require_model(const training_task&, int /*device*/) const {}
  /// How many of the first parameters can be stored as halves, an even number; 0: none.
  virtual std::size_t halves(const training_task&) const { return 0; }
  /// How many rows may see the same weights without harm to the loss. Notes if an option makes them few.
  virtual double rows_in_flight(run_planner& run) const = 0;
  /// The memory for the rows, and for what kernels need beside them, on a device with memory of its own.
  virtual std::uint64_t bytes(const training_task& task, const loop_options& options) const;
  /// The same if rows do not stay there.
  virtual stream_needs needs_of_stream(const training_task& task, const loop_options& options = {}) const;
  /// Copies the rows to the device, or, if `block_bytes` is not 0, makes two blocks of that size for them. `arrays` and
  /// the task outlive the result; the options are those of the run.
  virtual std::unique_ptr<device_model> bring(runtime& device, const training_task& task, const device_arrays& arrays,
                                              const loop_options& options, std::uint64_t block_bytes = 0) const = 0;

 protected:
  ~kernel_family() = default;
};

/// Throws config_error if no kernels train the task's model.
const kernel_family& kernels_of(const training_task& task);

/// How many of the task's first parameters a device stores as halves under these options.
std::size_t halves_of(const training_task& task, const loop_options& options);

/// Margin models.
const kernel_family& margin_kernels();
/// The model softmax.
const kernel_family& softmax_kernels();
/// The model factorization_machine.
const kernel_family& fm_kernels();
/// Matrix factorisation.
const kernel_family& rating_kernels();
/// The model skip_gram.
const kernel_family& window_kernels();
/// Models of programs, by the names that device_kernels registered.
const kernel_family& named_kernel_family();

}  // namespace hogwild::device
