// SPDX-License-Identifier: Apache-2.0
#include "device_task.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>

#include "bringing.hpp"
#include "common_model.hpp"
#include "device_losses.hpp"
#include "device_step.hpp"
#include "kernel_family.hpp"
#include "room_for_rows.hpp"
#include "training_memory.hpp"

namespace hogwild::device {

/// The device, and what is in its memory from the first round to the last.
struct device_task::driver {
  explicit driver(std::unique_ptr<runtime> opened) : device(std::move(opened)) {}

  std::shared_ptr<runtime> device;  ///< shared with a store in its memory
  std::unique_ptr<training_memory> memory{};
  std::unique_ptr<device_model> model{};

  /// Brings both arrays and model, or neither if it throws.
  void bring(const training_task& task, memory_kind kind, const param_store& store, const loop_options& o,
             std::uint64_t block_bytes) {
    auto trained = std::make_unique<training_memory>(*device, kind, store, halves_of(task, o));
    model = kernels_of(task).bring(*device, task, trained->arrays(), o, block_bytes);
    memory = std::move(trained);
  }
};

namespace {

/// Calls f(), which uses a real device; if the device cannot be used, the message names the alternatives.
template <class F>
auto of_a_real_device(const F& f) {
  try {
    return f();
  } catch (const resource_error& refused) {
    throw resource_error(std::string(refused.what()) + ", or take --device emulated");
  }
}

}  // namespace

std::unique_ptr<runtime> open_device(int number, std::size_t emulated) {
  if (number == emulated_device) return open_emulated(std::max<std::size_t>(worker_count() / emulated, 1));
  return of_a_real_device([&] { return open_cuda(number); });
}

std::unique_ptr<runtime> open_device_of(const loop_options& options, std::size_t slot) {
  const auto all = std::span(options.devices).first(options.device_count);
  const auto emulated = static_cast<std::size_t>(std::ranges::count(all, emulated_device));
  return open_device(all[slot], std::max<std::size_t>(emulated, 1));
}

device_facts facts_of_device(int number) {
  if (number == emulated_device) return facts_of_emulated();
  return of_a_real_device([&] { return facts_of_cuda(number); });
}

device_task::device_task(const training_task& whole, std::vector<std::unique_ptr<runtime>> devices, memory_kind memory)
    : decorated_task(whole), memory_(memory) {
  for (std::unique_ptr<runtime>& device : devices) drivers_.push_back(std::make_unique<driver>(std::move(device)));
}

device_task::device_task(std::unique_ptr<training_task> whole, const loop_options& options, std::size_t slot)
    : decorated_task(std::move(whole)), memory_(options.memory) {
  if (slot >= options.device_count) return;
  drivers_.resize(slot + 1);
  drivers_[slot] = std::make_unique<driver>(open_device_of(options, slot));
}

device_task::~device_task() = default;

void device_task::work(const worker_context& at) const {
  if (at.slot >= drivers_.size() || drivers_[at.slot] == nullptr) return whole().work(at);
  driver& mine = *drivers_[at.slot];
  const loop_options& o = at.plan.options;
  if (mine.model == nullptr) {
    mine.device->stopping = [&control = at.store.control()] { return control.stopping(); };
    room_for_rows room(*mine.device, *this, o, at.store.shape());
    while (mine.model == nullptr) {
      at.store.slots()[at.slot].row_block_bytes.set(room.block_bytes());
      try {
        mine.bring(*this, memory_, at.store, o, room.block_bytes());
      } catch (const no_room&) {
        room.take_less();
      } catch (const bringing_stopped&) {
        return whole().work(at);  // in a run that is to stop this ends the round without training a row
      }
    }
    mine.device->stopping = {};
  }
  const auto host = common_ == nullptr ? mine.memory->host_side(at, facts_.groups)
                                       : common_->replica_of(at, facts_.groups, mine.memory->arrays());
  device_step step(*mine.device, *mine.model, mine.memory->arrays(), *host, o, at.store.slots()[at.slot]);
  worker_loop(at.store, at.slot, data_, at.plan.chunks, o, step);
}

std::optional<double> device_task::train_loss(const param_store& store, std::size_t rows, double scale,
                                              const std::stop_token& stop) const {
  if (memory_ == memory_kind::pinned || rows == 0 || drivers_.empty() || drivers_.front() == nullptr)
    return std::nullopt;
  driver& first = *drivers_.front();
  if (first.model == nullptr || !first.model->measures()) return std::nullopt;
  first.memory->take_parameters(store);
  return mean_loss(*first.device, *first.model, rows, scale, stop);
}

memory_source device_task::store_memory() const {
  if (memory_ != memory_kind::managed || drivers_.empty() || drivers_.front() == nullptr)
    return decorated_task::store_memory();
  return [device = drivers_.front()->device](std::size_t bytes) { return managed_memory(device, bytes); };
}

std::string device_task::meet_by_peers(const param_store& store, update_kind update) {
  std::vector<runtime*> devices;
  for (const std::unique_ptr<driver>& each : drivers_) devices.push_back(each->device.get());
  std::string why_not = why_not_by_peers(devices, store.shape(), update);
  if (!why_not.empty()) return why_not;
  try {
    common_ = std::make_unique<common_model>(std::move(devices), store);
    if (!common_->is_registered()) store.slots().front().pageable = 1;
  } catch (const no_room& refused) {
    return refused.what();
  }
  return {};
}

void device_task::leave_store() noexcept {
  common_.reset();
  drivers_.clear();
}

}  // namespace hogwild::device
