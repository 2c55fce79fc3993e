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

#include <hogwild/detail/task/worker_decorators.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

/// The emulated device: its kernels run on threads of the CPU. In every build; never chosen automatically.
inline constexpr int emulated_device = -1;

/// Devices by their numbers in the CUDA runtime: one, `.device = 0`, or several, `.device = {0, 1}`. emulated_device
/// may be among them any number of times; these share the CPUs.
struct device_list {
  device_list(int number) : numbers{number} {}                            ///< one device
  device_list(std::initializer_list<int> several) : numbers(several) {}   ///< several devices
  device_list(std::vector<int> several) : numbers(std::move(several)) {}  ///< several devices
  std::vector<int> numbers;  ///< as the CUDA runtime counts them, from 0; -1: the kernels run on the CPU
};

/// Devices as additional workers, each of which trains many rows at once, without locks. A device's host thread draws
/// tickets, so that rows are dealt to devices and to workers on the CPU alike.
///
/// By default each device trains on a replica in its own memory, which exchanges with the shared parameters like the
/// replicas of other workers, through host memory that is registered with CUDA; a note says if registration is refused.
/// In pinned and in managed memory a device trains on the shared parameters themselves, at the same time as the workers
/// on the CPU (direct sharing). Exact updates in pinned memory need a device whose atomic operations on it are atomic
/// for CPUs, and managed memory needs a device that lets CPUs use it at the same time. Processes cannot share managed
/// memory, nor can several devices. Several devices share pinned memory only as processes.
///
/// In half storage, which is for matrix_factorization under sgd with lossy updates, a replica in the device's own
/// memory trains its factors as 16-bit floats; biases, and everything that leaves the device, are float. A rating moves
/// half as many bytes. The rounded factors' gains are exchanged; the run's own parameters are never rounded.
///
/// Rows that are trained at once see the same weights. The step limits their number: rows * step * curvature < 2 under
/// sgd, and four times that under adagrad; half as many for a program's models that are not margin models, and a
/// quarter for factorization machines. Ratings in flight are at most twice the smaller of users and items, and far
/// fewer under lossy updates, which overwrite each other. For sentences the limit depends on the step and on how often
/// the same word is scored. Several devices share one limit: until their replicas exchange, none of them sees the
/// changes of the others' rows, as if all were one launch.
///
/// Devices train margin models, softmax of up to 128 classes, factorization_machine of up to 128 factors, and models of
/// programs with device_kernels (device_kernels.hpp), under sgd and adagrad; matrix_factorization, under sgd and
/// row_adagrad; skip_gram, under sgd.
struct cuda_engine {
  std::size_t workers = 0;                                ///< on the CPU, beside the devices
  device_list device = 0;                                 ///< one or several, up to 16
  memory_kind memory = memory_kind::device;               ///< where parameters lie
  storage_kind storage = storage_kind::single;            ///< how factors are stored
  transport_kind transport = transport_kind::in_process;  ///< how ranks talk
  bool pin = true;                                        ///< one CPU for each worker, if there are as many
  std::string program{};                                  ///< for processes: see process_engine
  std::vector<std::string> arguments{};                   ///< for processes
};

/// Throws config_error for models and options that a device does not train, and resource_error if there is no such
/// device. Starting a run throws resource_error if managed memory would take more than half of the device's free
/// memory; the first round throws it if pinned memory cannot be registered.
std::size_t plan_sharing(const cuda_engine& engine, run_planner& run);
/// The task must outlive the engine's run.
std::unique_ptr<engine_run> start(const cuda_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

namespace detail {
std::unique_ptr<training_task> on_a_device(std::unique_ptr<training_task> whole, const joined_worker& place);
}  // namespace detail

/// How worker processes wrap their task.
inline const worker_decoration device_decoration{device_workers, detail::on_a_device};

}  // namespace hogwild
