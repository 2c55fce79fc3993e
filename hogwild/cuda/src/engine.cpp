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

#include "device_task.hpp"
#include "expected_speed.hpp"
#include "kernel_family.hpp"

namespace hogwild {
namespace {

device_report report_of(const loop_options& o) {
  return {.device = o.device,
          .name = device::facts_of_device(o.device).name,
          .memory = std::string(name_of(o.memory)),
          .rows_in_flight = o.rows_in_flight};
}

/// Workers of which the first one drives a device.
class device_run final : public engine_run {
 public:
  device_run(const thread_engine& engine, const training_task& task, const loop_plan& plan, const note_function& note)
      : work_(
            std::make_unique<device::device_task>(task, device::open_device(plan.options.device), plan.options.memory)),
        note_(note),
        device_(report_of(plan.options)),
        members_(hogwild::start(engine, *work_, plan, note)) {}
  device_run(const process_engine& engine, const training_task& task, const loop_plan& plan, const note_function& note)
      : note_(note),
        device_(report_of(plan.options)),
        members_(hogwild::start(engine, task, plan, note, device_workers)) {}
  ~device_run() override {
    if (work_ != nullptr) work_->leave_store();
  }
  device_run(const device_run&) = delete;
  device_run& operator=(const device_run&) = delete;

  std::string_view engine() const override { return "cuda"; }
  std::size_t workers() const override { return members_->workers(); }
  const param_store& store() const override { return members_->store(); }
  void get_ready() override { members_->get_ready(); }
  void run_round() override {
    members_->run_round();
    note_pageable();
  }
  void settle() override { members_->settle(); }
  thread_team& helpers() override { return members_->helpers(); }
  std::size_t replaced() const override { return members_->replaced(); }
  std::uint64_t rows_lost() const override { return members_->rows_lost(); }
  std::optional<device_report> device() const override { return device_; }

 private:
  /// Once, wherever the worker is that found it out.
  void note_pageable() {
    if (noted_ || store().slots()[device::device_task::device_slot].pageable.load() == 0) return;
    noted_ = true;
    if (!note_) return;
    note_(
        "the memory that the device's replica is copied through could not be registered with CUDA: the run goes on, "
        "and copies take longer");
  }

  std::unique_ptr<device::device_task> work_;
  note_function note_;
  bool noted_ = false;
  device_report device_;
  std::unique_ptr<engine_run> members_;
};

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
    return std::make_unique<device_run>(
        thread_engine{.workers = workers, .team = thread_team_kind::std, .pin = engine.pin}, task, plan, note);
  return std::make_unique<device_run>(
      process_engine{.workers = workers, .pin = engine.pin, .program = engine.program, .arguments = engine.arguments},
      task, plan, note);
}

std::unique_ptr<training_task> detail::on_a_device(std::unique_ptr<training_task> whole, const joined_worker& place) {
  const loop_options& o = place.plan.options;
  const bool drives = place.slot == device::device_task::device_slot;
  return std::make_unique<device::device_task>(std::move(whole), drives ? device::open_device(o.device) : nullptr,
                                               o.memory);
}

}  // namespace hogwild
