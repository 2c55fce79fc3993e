// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

/// An engine whose first workers drive a device each. For engines whose workers hold replicas (buffered), such as
/// ring_engine: a device's replica is one of the ring's, or exchanges with one of them beside CPU workers. Threads are
/// std threads. If the engine has ranks, each has devices of its own, and the rows in flight are divided among all
/// ranks.
///
///   train(m, rows, on_devices<ring_engine>{{.workers = 2, .replicas = 2}, {0, 1}});
template <class Engine>
struct on_devices : Engine {
  device_list device = 0;  ///< the devices that train
};

namespace detail {

using start_function = std::function<std::unique_ptr<engine_run>(const training_task& task)>;

/// Throws like plan_sharing(cuda_engine); from then on the run's options name the devices. `ranks`: the number of
/// ranks, each with as many devices.
void plan_devices(const device_list& devices, memory_kind memory, storage_kind storage, transport_kind transport,
                  run_planner& run, std::size_t ranks = 1);
/// For devices that train without CPU workers: notes if the CPU is expected to be faster.
void note_where_cpus_are_faster(run_planner& run);
std::unique_ptr<engine_run> start_on_devices(transport_kind transport, const training_task& task, const loop_plan& plan,
                                             const note_function& note, const start_function& start,
                                             std::string_view name = {});

/// Other thread libraries may grant fewer threads than there are devices.
template <class Engine>
Engine with_std_threads(Engine engine) {
  if constexpr (requires { engine.team; }) engine.team = thread_team_kind::std;
  return engine;
}

}  // namespace detail

/// Throws like plan_sharing() of the engine and of cuda_engine, and config_error if workers are fewer than devices.
template <class Engine>
std::size_t plan_sharing(const on_devices<Engine>& engine, run_planner& run) {
  std::size_t ranks = 1;
  if constexpr (requires { engine.ranks->size(); })
    if (engine.ranks != nullptr) ranks = engine.ranks->size();
  detail::plan_devices(engine.device, memory_kind::device, storage_kind::single, engine.transport, run, ranks);
  const std::size_t workers = plan_sharing(detail::with_std_threads<Engine>(engine), run);
  const std::size_t devices = engine.device.numbers.size();
  if (workers < devices)
    throw config_error(std::to_string(devices) + " devices need as many workers at least, but there are " +
                       std::to_string(workers) + ": ask for more workers");
  if (workers == devices) detail::note_where_cpus_are_faster(run);
  return workers;
}

/// The task must outlive the engine's run.
template <class Engine>
std::unique_ptr<engine_run> start(const on_devices<Engine>& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note) {
  return detail::start_on_devices(engine.transport, task, plan, note, [&](const training_task& work) {
    return start(detail::with_std_threads<Engine>(engine), work, plan, note);
  });
}

}  // namespace hogwild
