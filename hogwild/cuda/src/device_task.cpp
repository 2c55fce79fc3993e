// SPDX-License-Identifier: Apache-2.0
#include "device_task.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/error.hpp>

#include "device_step.hpp"
#include "kernel_family.hpp"
#include "training_memory.hpp"

namespace hogwild::device {

/// The device, and what lies in its memory from the first round to the last.
struct device_task::driver {
  explicit driver(std::unique_ptr<runtime> opened) : device(std::move(opened)) {}

  std::shared_ptr<runtime> device;  ///< shared with a store in its memory
  std::optional<training_memory> memory{};
  std::unique_ptr<device_model> model{};
};

namespace {

/// What f() makes of a real device; where that cannot be used, the sentence says what else there is.
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

namespace {

/// How the device's free memory is dealt out, before anything is copied: 0 where all rows have room beside parameters
/// and state, else the bytes of each of two blocks. Throws resource_error where not even those of one row have room.
std::uint64_t block_bytes_for(const runtime& device, const training_task& task, const loop_options& options,
                              const store_shape& shape) {
  // A store in managed memory comes to the device, too, but has not yet.
  const bool on_host = options.memory == memory_kind::pinned;
  const std::uint64_t arrays = on_host ? 0 : device_arrays::bytes(shape.parameters, shape.state_arrays);
  const std::uint64_t rows = device.facts().host_memory ? 0 : kernels_of(task).bytes(task, options);
  const std::uint64_t left = device.free_bytes();
  if (rows <= left && arrays <= left - rows) return 0;
  const stream_needs streamed = kernels_of(task).needs_of_stream(task, options);
  const std::uint64_t stays = arrays + streamed.stays;
  if (stays > left || streamed.least_block > (left - stays) / 2)
    throw resource_error("the device is too small for this run: parameters and state need " + std::to_string(stays) +
                         " bytes, two blocks of its longest row " + std::to_string(2 * streamed.least_block) +
                         ", and of the device " + std::to_string(left) +
                         " bytes are free; train on fewer columns, or by threads");
  // Half of what is left stays free: allocations are rounded up, and kernels have memory of their own.
  return std::max(std::min((left - stays) / 4, row_blocks::most_bytes), streamed.least_block);
}

}  // namespace

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
    const std::uint64_t block_bytes = block_bytes_for(*mine.device, *this, o, at.store.shape());
    at.store.slots()[at.slot].row_block_bytes.set(block_bytes);
    mine.memory.emplace(*mine.device, memory_, at.store);
    mine.model = kernels_of(*this).bring(*mine.device, *this, mine.memory->arrays(), o, block_bytes);
  }
  const auto host = mine.memory->host_side(at, facts_.groups);
  device_step step(*mine.device, *mine.model, mine.memory->arrays(), *host, o, at.store.slots()[at.slot]);
  worker_loop(at.store, at.slot, data_, at.plan.chunks, o, step);
}

memory_source device_task::store_memory() const {
  if (memory_ != memory_kind::managed || drivers_.empty() || drivers_.front() == nullptr)
    return decorated_task::store_memory();
  return [device = drivers_.front()->device](std::size_t bytes) { return managed_memory(device, bytes); };
}

void device_task::leave_store() noexcept {
  drivers_.clear();
}

}  // namespace hogwild::device
