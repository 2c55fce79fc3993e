// SPDX-License-Identifier: Apache-2.0
#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <hogwild/detail/run/combinations.hpp>
#include <hogwild/detail/run/names.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/error.hpp>

#include "device_run.hpp"
#include "device_task.hpp"
#include "expected_speed.hpp"
#include "kernel_family.hpp"

namespace hogwild {
namespace {

void require_supported(const run_planner& run, const cuda_engine& engine) {
  const loop_options& loop = run.loop();
  const device::kernel_family& kernels = device::kernels_of(run.task());
  kernels.require_options(loop);
  kernels.require_model(run.task(), engine.device);
  if (loop.order != row_order::chunked)
    throw config_error("a device trains the rows of a chunk as they are stored: leave the order at chunked");
  combination c{.sharing = run.options().sharing,
                .update = loop.update,
                .reproducible = run.options().reproducible,
                .memory = engine.memory,
                .processes = engine.transport == transport_kind::shared_segment};
  if (engine.memory != memory_kind::device) {
    const device::device_facts facts = device::facts_of_device(engine.device);
    c.native_atomics = facts.native_host_atomics;
    c.concurrent_access = facts.concurrent_managed_access;
  }
  const std::string_view refused = why_refused(c);
  if (!refused.empty()) throw config_error(std::string(refused));
}

}  // namespace

std::size_t plan_sharing(const cuda_engine& engine, run_planner& run) {
  require_supported(run, engine);
  const std::size_t workers = run.count_workers(engine.workers + 1);
  const bool replica = engine.memory == memory_kind::device;
  if (!replica)
    run.ask_for(sharing_kind::direct);
  else if (workers > 1)
    run.ask_for(sharing_kind::buffered);
  // Those who own blocks train them one rating after the other.
  if (run.task().facts().has_ownership) run.loop().ownership = ownership_kind::shared;
  run.loop().device = engine.device;
  run.loop().memory = engine.memory;
  run.loop().rows_in_flight =
      static_cast<std::uint32_t>(std::clamp(device::kernels_of(run.task()).rows_in_flight(run), 1.0, 1e6));
  const std::size_t decided = run.decide_sharing(workers);
  if (!replica) run.explain("the device trains on the run's own parameters, as every worker beside it does");
  if (engine.workers == 0) device::note_where_cpus_are_faster(run, engine.device);
  return decided;
}

std::unique_ptr<engine_run> start(const cuda_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note) {
  const std::size_t workers = engine.workers;  // all that plan_sharing() decided on, the device's among them
  if (engine.transport == transport_kind::in_process)
    return device::start_threads({.workers = workers, .team = thread_team_kind::std, .pin = engine.pin},
                                 device::open_device(plan.options.device), task, plan, note);
  return device::start_processes(
      {.workers = workers, .pin = engine.pin, .program = engine.program, .arguments = engine.arguments}, task, plan,
      note);
}

std::unique_ptr<training_task> detail::on_a_device(std::unique_ptr<training_task> whole, const joined_worker& place) {
  const loop_options& o = place.plan.options;
  const bool drives = place.slot == device::device_task::device_slot;
  return std::make_unique<device::device_task>(std::move(whole), drives ? device::open_device(o.device) : nullptr,
                                               o.memory);
}

}  // namespace hogwild
