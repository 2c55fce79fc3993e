// SPDX-License-Identifier: Apache-2.0
#include <hogwild/cuda/engine.hpp>
#include <hogwild/cuda/on_devices.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/options/combinations.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/error.hpp>
#include <hogwild/names.hpp>

#include "device_task.hpp"
#include "expected_speed.hpp"
#include "kernel_family.hpp"

namespace hogwild {
namespace {

void require_devices(const std::vector<int>& devices) {
  if (devices.empty()) throw config_error("no device is named: name one, by its number");
  if (devices.size() > most_devices)
    throw config_error("a run has " + std::to_string(most_devices) + " devices at most, and " +
                       std::to_string(devices.size()) + " are named");
  for (std::size_t k = 0; k < devices.size(); ++k)
    if (devices[k] != emulated_device &&
        std::count(devices.begin(), devices.begin() + std::ptrdiff_t(k), devices[k]) > 0)
      throw config_error("device " + std::to_string(devices[k]) +
                         " is named twice, and one worker fills it: name each device once");
}

void require_supported(const run_planner& run, const std::vector<int>& devices, memory_kind memory,
                       storage_kind storage, transport_kind transport) {
  const loop_options& loop = run.loop();
  const device::kernel_family& kernels = device::kernels_of(run.task());
  kernels.require_options(loop);
  require_devices(devices);
  if (run.task().data().dense)
    throw config_error(
        "a device trains sparse rows, and these are dense: give it sparse_dataset::copy_of(rows.view()), or train them "
        "by threads or processes");
  if (storage == storage_kind::half && kernels.halves(run.task()) == 0)
    throw config_error(
        "half storage on a device is for the factors of matrix_factorization: leave the storage at float");
  if (storage == storage_kind::half && loop.optimizer != optimizer_kind::sgd)
    throw config_error("factors in half storage are trained by sgd: choose it, or leave the storage at float");
  for (const int device : devices) kernels.require_model(run.task(), device);
  if (!by_chunks(loop.order))
    throw config_error("a device trains the rows of a chunk as they are stored: leave the order at chunked");
  if (run.task().facts().margin && run.options().batch.value_or(1) > 1)
    throw config_error("a device trains as many rows at once as it has room for: leave out the batch");
  if (loop.proximal())
    throw config_error("a device does not take l1, nor train by ftrl: use threads or processes, or leave it out");
  combination c{.sharing = run.options().sharing,
                .update = loop.update,
                .form = run.task().facts().margin ? loop.form : l2_form::by_degree,
                .reproducible = run.options().reproducible,
                .memory = memory,
                .processes = transport == transport_kind::shared_segment,
                .several_devices = devices.size() > 1,
                .storage = storage};
  if (memory != memory_kind::device) {
    for (const int number : devices) {
      const device::device_facts facts = device::facts_of_device(number);
      c.native_atomics = c.native_atomics && facts.native_host_atomics;
      c.concurrent_access = c.concurrent_access && facts.concurrent_managed_access;
    }
  }
  require_compatible(c);
}

}  // namespace

void detail::plan_devices(const device_list& list, memory_kind memory, storage_kind storage, transport_kind transport,
                          run_planner& run, std::size_t ranks) {
  const std::vector<int>& devices = list.numbers;
  require_supported(run, devices, memory, storage, transport);
  // Owners of blocks train their ratings one after the other.
  if (run.task().facts().has_ownership) run.loop().ownership = ownership_kind::shared;
  run.loop().device_count = static_cast<std::uint32_t>(devices.size());
  std::ranges::copy(devices, run.loop().devices.begin());
  run.loop().memory = memory;
  run.loop().storage = storage;
  // The bound is for all rows that do not see each other's changes. Rows of two devices do not until their replicas
  // exchange, which sums the gains: together they are one step of as many rows.
  const double rows = device::kernels_of(run.task()).rows_in_flight(run) / static_cast<double>(devices.size() * ranks);
  run.loop().rows_in_flight = static_cast<std::uint32_t>(std::clamp(rows, 1.0, 1e6));
}

void detail::note_where_cpus_are_faster(run_planner& run) {
  device::note_where_cpus_are_faster(run);
}

std::size_t plan_sharing(const cuda_engine& engine, run_planner& run) {
  detail::plan_devices(engine.device, engine.memory, engine.storage, engine.transport, run);
  const std::size_t workers = run.count_workers(engine.workers + engine.device.numbers.size());
  const bool replica = engine.memory == memory_kind::device;
  if (!replica)
    run.ask_for(sharing_kind::direct);
  else if (workers > 1)
    run.ask_for(sharing_kind::buffered);
  const std::size_t decided = run.decide_sharing(workers);
  if (!replica) run.explain("the device trains on the run's own parameters, as every worker beside it does");
  if (engine.workers == 0) detail::note_where_cpus_are_faster(run);
  return decided;
}

std::unique_ptr<engine_run> start(const cuda_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note) {
  const std::size_t workers = engine.workers;  // all workers that plan_sharing() decided on, including the devices'
  return detail::start_on_devices(
      engine.transport, task, plan, note,
      [&](const training_task& work) {
        if (engine.transport == transport_kind::in_process)
          return start(thread_engine{.workers = workers, .team = thread_team_kind::std, .pin = engine.pin}, work, plan,
                       note);
        return start(
            process_engine{
                .workers = workers, .pin = engine.pin, .program = engine.program, .arguments = engine.arguments},
            work, plan, note);
      },
      "cuda");
}

std::unique_ptr<training_task> detail::on_a_device(std::unique_ptr<training_task> whole, const joined_worker& place) {
  return std::make_unique<device::device_task>(std::move(whole), place.plan.options, place.slot);
}

}  // namespace hogwild
