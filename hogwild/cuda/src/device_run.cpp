// SPDX-License-Identifier: Apache-2.0
#include "device_run.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/names.hpp>
#include <hogwild/detail/task/training_task.hpp>

#include "device_task.hpp"

namespace hogwild::device {
namespace {

class device_run final : public engine_run {
 public:
  /// `work`: null where processes drive the devices.
  device_run(std::unique_ptr<device_task> work, const training_task& task, const loop_plan& plan,
             const note_function& note, const start_function& start, std::string_view name)
      : note_(note),
        reports_(reports_of(plan.options)),
        work_(std::move(work)),
        members_(start(work_ == nullptr ? task : *work_)),
        name_(name.empty() ? members_->engine() : name) {}
  ~device_run() override {
    if (work_ != nullptr) work_->leave_store();
  }
  device_run(const device_run&) = delete;
  device_run& operator=(const device_run&) = delete;

  std::string_view engine() const override { return name_; }
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
  std::optional<double> scale_after_round() const override { return members_->scale_after_round(); }
  std::optional<ring_report> ring() const override { return members_->ring(); }
  std::optional<link_report> link() const override { return members_->link(); }
  std::optional<meeting_report> meetings() const override { return members_->meetings(); }
  std::vector<device_report> devices() const override {
    std::vector<device_report> reports = reports_;
    for (std::size_t slot = 0; slot < reports.size(); ++slot)
      reports[slot].block_bytes = store().slots()[slot].row_block_bytes.get();
    return reports;
  }

 private:
  static std::vector<device_report> reports_of(const loop_options& o) {
    std::vector<device_report> reports;
    for (const int number : std::span(o.devices).first(o.device_count))
      reports.push_back({.device = number,
                         .name = facts_of_device(number).name,
                         .memory = std::string(name_of(o.memory)),
                         .rows_in_flight = o.rows_in_flight});
    return reports;
  }

  /// Once, wherever the worker is that found it out.
  void note_pageable() {
    const auto drivers = store().slots().first(reports_.size());
    if (noted_ || std::ranges::all_of(drivers, [](const worker_slot& s) { return s.pageable.load() == 0; })) return;
    noted_ = true;
    if (!note_) return;
    note_(
        "the memory that a device's replica is copied through could not be registered with CUDA: the run goes on, and "
        "copies take longer");
  }

  note_function note_;
  bool noted_ = false;
  std::vector<device_report> reports_;
  std::unique_ptr<device_task> work_;
  std::unique_ptr<engine_run> members_;
  std::string_view name_;
};

}  // namespace

std::vector<std::unique_ptr<runtime>> open_devices(const loop_options& options) {
  std::vector<std::unique_ptr<runtime>> devices;
  for (std::size_t slot = 0; slot < options.device_count; ++slot) devices.push_back(open_device_of(options, slot));
  return devices;
}

std::unique_ptr<engine_run> start_threads(std::vector<std::unique_ptr<runtime>> devices, const training_task& task,
                                          const loop_plan& plan, const note_function& note, const start_function& start,
                                          std::string_view name) {
  return std::make_unique<device_run>(std::make_unique<device_task>(task, std::move(devices), plan.options.memory),
                                      task, plan, note, start, name);
}

std::unique_ptr<engine_run> start_processes(const training_task& task, const loop_plan& plan, const note_function& note,
                                            const start_function& start, std::string_view name) {
  return std::make_unique<device_run>(nullptr, task, plan, note, start, name);
}

}  // namespace hogwild::device

namespace hogwild {

std::unique_ptr<engine_run> detail::start_on_devices(transport_kind transport, const training_task& task,
                                                     const loop_plan& plan, const note_function& note,
                                                     const start_function& start, std::string_view name) {
  return transport == transport_kind::in_process
             ? device::start_threads(device::open_devices(plan.options), task, plan, note, start, name)
             : device::start_processes(task, plan, note, start, name);
}

}  // namespace hogwild
