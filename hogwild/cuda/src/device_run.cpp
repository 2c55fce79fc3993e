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
  device_run(const thread_engine& engine, std::vector<std::unique_ptr<runtime>> opened, const training_task& task,
             const loop_plan& plan, const note_function& note)
      : note_(note),
        reports_(reports_of(plan.options)),
        work_(std::make_unique<device_task>(task, std::move(opened), plan.options.memory)),
        members_(hogwild::start(engine, *work_, plan, note)) {}
  device_run(const process_engine& engine, const training_task& task, const loop_plan& plan, const note_function& note)
      : note_(note),
        reports_(reports_of(plan.options)),
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
};

}  // namespace

std::unique_ptr<engine_run> start_threads(const thread_engine& engine, std::vector<std::unique_ptr<runtime>> devices,
                                          const training_task& task, const loop_plan& plan, const note_function& note) {
  return std::make_unique<device_run>(engine, std::move(devices), task, plan, note);
}

std::unique_ptr<engine_run> start_processes(const process_engine& engine, const training_task& task,
                                            const loop_plan& plan, const note_function& note) {
  return std::make_unique<device_run>(engine, task, plan, note);
}

}  // namespace hogwild::device
