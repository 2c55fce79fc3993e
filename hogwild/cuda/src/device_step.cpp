// SPDX-License-Identifier: Apache-2.0
#include "device_step.hpp"

#include <algorithm>

namespace hogwild::device {

device_step::device_step(runtime& device, device_model& model, device_arrays& own, private_arrays<float>& host,
                         const loop_options& options, worker_slot& me)
    : device_(device),
      model_(model),
      own_(own),
      host_(host),
      me_(me),
      alone_(options.sharing == access_kind::alone),
      shared_(own.system_scope) {}

device_step::~device_step() {
  // If the worker throws, copies may still be queued. Their errors were thrown where they were waited for, or the
  // worker no longer counts.
  device_.drain();
}

void device_step::begin_round(const round_plan& round) {
  host_.begin_round(round);
  device_.zero(own_.updates.data(), sizeof(std::uint64_t));
  updates_ = updates_told_ = 0;
  if (alone_ || shared_) me_.unsent.set(0);
  send(all());
}

void device_step::begin(const round_plan& round, double position) {
  model_.begin(round, position);
}

std::size_t device_step::rows_to_exchange() const {
  return std::min(size_.rows(), host_.rows_to_exchange());
}

batch_outcome device_step::train_run(std::size_t first, std::size_t count) {
  for (std::size_t done = 0; done < count;) {
    const std::size_t rows = model_.room_for(first + done, count - done);
    const clock::time_point began = clock::now();  // copying rows to the device is part of their time
    if (shared_) me_.unsent.raise(rows);
    device_.run(model_.train(first + done, rows));
    queued_.push_back({.mark = device_.mark(), .rows = rows, .queued = began});
    wait_for_all_but(1);
    done += rows;
  }
  return {.updates = new_updates(), .nonzeros = model_.nonzeros(first, count)};
}

void device_step::exchange(std::size_t rows, race_probe& probe) {
  const bool due = rows >= host_.rows_to_exchange();
  const parts runs = due ? host_.due() : parts();  // read first, because the exchange advances it
  if (due) fetch(runs);
  host_.exchange(rows, probe);
  if (alone_) me_.unsent.raise(rows);
  if (due) send(runs);
}

void device_step::end_round() {
  fetch(all());
  host_.end_round();
  if (alone_) me_.unsent.set(0);
  me_.updates.raise(new_updates());
}

device_step::parts device_step::all() const {
  return {{0, own_.values[0].size()}};
}

void device_step::send(const parts& runs) {
  for (std::size_t k = 0; k < host_.count(); ++k)
    for (const auto [first, count] : runs)
      device_.upload(own_.values[k].data() + first, host_.values(k).data() + first, count * sizeof(float));
  if (own_.halves)
    for (const auto [first, count] : runs) own_.halves->begin(first, count);
  device_.wait(device_.mark());  // the host's arrays change from now on
}

void device_step::fetch(const parts& runs) {
  if (own_.halves)
    for (const auto [first, count] : runs) own_.halves->take_gains(first, count);
  for (std::size_t k = 0; k < host_.count(); ++k)
    for (const auto [first, count] : runs)
      device_.download(host_.values(k).data() + first, own_.values[k].data() + first, count * sizeof(float));
  device_.download(&updates_, own_.updates.data(), sizeof updates_);
  wait_for_all_but(0);
  device_.wait(device_.mark());
}

void device_step::wait_for_all_but(std::size_t queued) {
  for (; queued_.size() > queued; queued_.pop_front()) {
    const launch& next = queued_.front();
    device_.wait(next.mark);
    // It began when the one before ended, or when it was queued.
    const clock::time_point began = std::max(passed_, next.queued);
    passed_ = clock::now();
    size_.took(next.rows, passed_ - began);
    if (shared_) me_.unsent.set(me_.unsent.get() - next.rows);
  }
}

std::uint64_t device_step::new_updates() {
  const std::uint64_t before = updates_told_;
  updates_told_ = updates_;
  return updates_told_ - before;
}

}  // namespace hogwild::device
