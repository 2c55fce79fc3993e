// SPDX-License-Identifier: Apache-2.0
#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/error.hpp>

#include "device_task.hpp"
#include "kernel_family.hpp"

namespace hogwild {
namespace {

device_report report_of(const loop_options& o) {
  return {.device = o.device, .name = device::name_of_device(o.device), .rows_in_flight = o.rows_in_flight};
}

/// Workers of which the first one drives a device.
class device_run final : public engine_run {
 public:
  device_run(const thread_engine& engine, const training_task& task, const loop_plan& plan, const note_function& note)
      : work_(std::make_unique<device::device_task>(task, plan.options.device)),
        device_(report_of(plan.options)),
        members_(hogwild::start(engine, *work_, plan, note)) {}
  device_run(const process_engine& engine, const training_task& task, const loop_plan& plan, const note_function& note)
      : device_(report_of(plan.options)), members_(hogwild::start(engine, task, plan, note, device_workers)) {}

  std::string_view engine() const override { return "cuda"; }
  std::size_t workers() const override { return members_->workers(); }
  const param_store& store() const override { return members_->store(); }
  void get_ready() override { members_->get_ready(); }
  void run_round() override { members_->run_round(); }
  void settle() override { members_->settle(); }
  thread_team& helpers() override { return members_->helpers(); }
  std::size_t replaced() const override { return members_->replaced(); }
  std::uint64_t rows_lost() const override { return members_->rows_lost(); }
  std::optional<device_report> device() const override { return device_; }

 private:
  std::unique_ptr<device::device_task> work_;
  device_report device_;
  std::unique_ptr<engine_run> members_;
};

void require_supported(const run_planner& run, int device) {
  const loop_options& loop = run.loop();
  const device::kernel_family& kernels = device::kernels_of(run.task());
  kernels.require_options(loop);
  kernels.require_model(run.task(), device);
  if (loop.order != row_order::chunked)
    throw config_error("a device trains the rows of a chunk as they are stored: leave the order at chunked");
  if (run.options().reproducible)
    throw config_error(
        "a reproducible run is not possible on a device, where rows are trained at once: use threads or processes");
  if (loop.update == update_kind::locked) throw config_error("a device has no locks: use lossy or exact updates");
  const sharing_kind asked = run.options().sharing;
  if (asked != sharing_kind::automatic && asked != sharing_kind::buffered)
    throw config_error("a device has a replica (buffered) in its own memory: leave the sharing at auto");
}

}  // namespace

std::size_t plan_sharing(const cuda_engine& engine, run_planner& run) {
  require_supported(run, engine.device);
  const std::size_t workers = run.count_workers(engine.workers + 1);
  if (workers > 1) run.ask_for(sharing_kind::buffered);
  // Those who own blocks train them one rating after the other.
  if (run.task().facts().has_ownership) run.loop().ownership = ownership_kind::shared;
  run.loop().device = engine.device;
  run.loop().rows_in_flight =
      static_cast<std::uint32_t>(std::clamp(device::kernels_of(run.task()).rows_in_flight(run), 1.0, 1e6));
  return run.decide_sharing(workers);
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
  return std::make_unique<device::device_task>(std::move(whole), place.plan.options.device,
                                               place.slot == device::device_task::device_slot);
}

}  // namespace hogwild
