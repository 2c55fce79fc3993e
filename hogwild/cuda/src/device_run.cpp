// SPDX-License-Identifier: Apache-2.0
#include "device_run.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/names.hpp>

#include "common_model.hpp"
#include "device_task.hpp"

namespace hogwild::device {
namespace {

class device_run final : public engine_run {
 public:
  /// `work`: null if processes drive the devices.
  device_run(std::unique_ptr<device_task> work, const training_task& task, const loop_plan& plan,
             const note_function& note, const start_function& start, std::string_view name)
      : note_(note),
        options_(plan.options),
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
  void get_ready() override {
    if (replicas_meet()) choose_where_they_meet();
    members_->get_ready();
  }
  void run_round() override {
    common_model* const common = work_ == nullptr ? nullptr : work_->common();
    if (common != nullptr) common->take();
    members_->run_round();
    if (common != nullptr) common->give();
    note_pageable();
  }
  void settle() override { members_->settle(); }
  thread_team& helpers() override { return members_->helpers(); }
  std::size_t replaced() const override { return members_->replaced(); }
  std::uint64_t rows_lost() const override { return members_->rows_lost(); }
  std::optional<double> train_loss(std::size_t rows, double scale, const std::stop_token& stop) override {
    if (work_ == nullptr) return std::nullopt;
    const std::optional<double> loss = work_->train_loss(store(), rows, scale, stop);
    if (loss && !stop.stop_requested()) reports_.front().measured_rows += rows;
    return loss;
  }
  std::optional<double> scale_after_round() const override { return members_->scale_after_round(); }
  std::optional<ring_report> ring() const override { return members_->ring(); }
  std::optional<link_report> link() const override { return members_->link(); }
  std::optional<meeting_report> meetings() const override { return members_->meetings(); }
  std::vector<device_report> devices() const override {
    std::vector<device_report> reports = reports_;
    for (std::size_t slot = 0; slot < reports.size(); ++slot) {
      reports[slot].block_bytes = store().slots()[slot].row_block_bytes.get();
      reports[slot].rows = store().slots()[slot].rows.get();
    }
    return reports;
  }

 private:
  static std::vector<device_report> reports_of(const loop_options& o) {
    std::vector<device_report> reports;
    for (const int number : std::span(o.devices).first(o.device_count))
      reports.push_back({.device = number,
                         .name = facts_of_device(number).name,
                         .memory = std::string(name_of(o.memory)),
                         .storage = std::string(name_of(o.storage)),
                         .rows_in_flight = o.rows_in_flight});
    return reports;
  }

  bool replicas_meet() const {
    return options_.memory == memory_kind::device && options_.sharing == access_kind::buffered;
  }

  /// Replicas meet in the memory of the first device if all workers are threads that drive a device, and have one
  /// common model, with which no other rank exchanges meanwhile.
  void choose_where_they_meet() {
    const exchange_options& ring = options_.exchange;
    const bool one_model = ring.replicas < 2 || ring.one_worker_each();
    bool by_peers =
        work_ != nullptr && one_model && reports_.size() > 1 && workers() == reports_.size() && !members_->link();
    if (by_peers) {
      const std::string why_not = work_->meet_by_peers(store(), options_.update);
      by_peers = why_not.empty();
      if (!by_peers && note_) note_("the replicas of the devices exchange through memory of this machine: " + why_not);
    }
    for (device_report& r : reports_) r.exchange = by_peers ? "peers" : "host";
  }

  /// Notes unregistered memory once for each device, after the round in which its worker found it.
  void note_pageable() {
    for (std::size_t slot = 0; slot < reports_.size(); ++slot) {
      if (noted_[slot] || store().slots()[slot].pageable.load() == 0) continue;
      noted_[slot] = true;
      const device_report& r = reports_[slot];
      if (note_)
        note_("the memory that the replica of " +
              (r.device == emulated_device ? "the emulated device" : "device " + std::to_string(r.device)) +
              " is copied through could not be registered with CUDA: the run goes on, and copies take longer");
    }
  }

  note_function note_;
  loop_options options_;
  std::vector<device_report> reports_;
  std::vector<bool> noted_ = std::vector<bool>(reports_.size());  ///< by slot: a note on unregistered memory was given
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
