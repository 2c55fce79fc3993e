// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/engines/worker_decorators.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

/// A device that is none: its kernels run on threads of the CPU. In every build; never chosen by itself.
inline constexpr int emulated_device = -1;

/// Devices by their numbers, as the CUDA runtime counts them: one, `.device = 0`, or several, `.device = {0, 1}`.
/// emulated_device may be among them any number of times; those share the CPUs.
struct device_list {
  device_list(int number) : numbers{number} {}                            ///< one device
  device_list(std::initializer_list<int> several) : numbers(several) {}   ///< several devices
  device_list(std::vector<int> several) : numbers(std::move(several)) {}  ///< several devices
  std::vector<int> numbers;  ///< as the driver counts them, from 0; -1: the kernels run on the CPU
};

/// A device as one more worker; several of them as so many workers. It trains many rows at once, without locks. Its
/// host thread draws tickets, so that rows are dealt to it and to workers on the CPU alike.
///
/// By default each trains on a replica in its own memory, which exchanges with the shared parameters as the replicas of
/// other workers do, through memory of the host that is registered with CUDA; a note says where that is refused. In
/// pinned and in managed memory it trains on the shared parameters themselves, at the same time as the workers on the
/// CPU (direct sharing). Exact updates in pinned memory need a device whose atomic operations on it are atomic to CPUs,
/// and managed memory one beside which CPUs may use it; processes cannot share managed memory, nor several devices.
/// Several devices share pinned memory as processes alone.
///
/// In half storage, which is for matrix_factorization under sgd with lossy updates, a replica in the device's own
/// memory trains its factors as 16-bit floats; biases, and all that leaves the device, are float. A rating moves half
/// as many bytes. What is exchanged is what the rounded factors have gained; the run's own parameters are never
/// rounded.
///
/// Rows that are trained at once see the same weights. There are no more of them than the step allows: rows * step *
/// curvature < 2 under sgd, and four times that under adagrad; half as many of models of programs that are no margin
/// models, and a quarter of factorization machines. Of ratings there are no more than twice the smaller of users and
/// items, and far fewer under lossy updates, which overwrite each other. Of sentences the step allows so many by how
/// often the same word is scored. Several devices together have that number: until their replicas exchange none of them
/// sees what the others' rows have changed, as if all were one launch.
///
/// Margin models, softmax of up to 128 classes, factorization_machine of up to 128 factors, and models of programs that
/// are named to it (device_kernels.hpp), under sgd and adagrad; matrix_factorization, under sgd and row_adagrad;
/// skip_gram, under sgd.
struct cuda_engine {
  std::size_t workers = 0;                                ///< on the CPU, beside the devices
  device_list device = 0;                                 ///< one or several, up to 16
  memory_kind memory = memory_kind::device;               ///< where parameters lie
  storage_kind storage = storage_kind::single;            ///< how factors are stored
  transport_kind transport = transport_kind::in_process;  ///< how ranks talk
  bool pin = true;                                        ///< one CPU for each worker, where there are as many
  std::string program{};                                  ///< of processes: see process_engine
  std::vector<std::string> arguments{};                   ///< of processes
};

/// Throws config_error for models and options that a device does not train, and resource_error where there is no such
/// device. Starting a run throws resource_error where managed memory would be more than half of what is free on the
/// device; its first round does where pinned memory cannot be registered.
std::size_t plan_sharing(const cuda_engine& engine, run_planner& run);
std::unique_ptr<engine_run> start(const cuda_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

namespace detail {
std::unique_ptr<training_task> on_a_device(std::unique_ptr<training_task> whole, const joined_worker& place);
}  // namespace detail

/// What worker processes make of their task.
inline const worker_decoration device_decoration{device_workers, detail::on_a_device};

}  // namespace hogwild
