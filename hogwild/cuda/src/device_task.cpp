// SPDX-License-Identifier: Apache-2.0
#include "device_task.hpp"

#include <optional>
#include <string>
#include <utility>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/error.hpp>

#include "device_step.hpp"
#include "kernel_family.hpp"

namespace hogwild::device {

/// The device, and what lies in its memory from the first round to the last.
struct device_task::driver {
  explicit driver(std::unique_ptr<runtime> opened) : device(std::move(opened)) {}

  std::unique_ptr<runtime> device;
  std::optional<device_arrays> arrays{};
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

std::unique_ptr<runtime> open_device(int number) {
  if (number == emulated_device) return open_emulated(worker_count());
  return of_a_real_device([&] { return open_cuda(number); });
}

std::string name_of_device(int number) {
  if (number == emulated_device) return "emulated";
  return of_a_real_device([&] { return facts_of_cuda(number).name; });
}

namespace {

/// Throws resource_error where the device has not enough free memory, before anything is copied.
void require_room(const runtime& device, const training_task& task, std::size_t parameters, std::size_t state_arrays) {
  const std::uint64_t arrays = device_arrays::bytes(parameters, state_arrays);
  const std::uint64_t rows = device.facts().emulated ? 0 : kernels_of(task).bytes(task);
  const std::uint64_t left = device.free_bytes();
  if (rows <= left && arrays <= left - rows) return;
  throw resource_error("the device is too small for this run: its rows need " + std::to_string(rows) +
                       " bytes and its parameters and state " + std::to_string(arrays) + ", and of the device " +
                       std::to_string(left) + " bytes are free; train on fewer rows or columns, or by threads");
}

}  // namespace

device_task::device_task(const training_task& whole, int number)
    : decorated_task(whole), driver_(std::make_unique<driver>(open_device(number))) {}

device_task::device_task(std::unique_ptr<training_task> whole, int number, bool drives)
    : decorated_task(std::move(whole)), driver_(drives ? std::make_unique<driver>(open_device(number)) : nullptr) {}

device_task::~device_task() = default;

void device_task::work(const worker_context& at) const {
  if (at.slot != device_slot || driver_ == nullptr) return whole().work(at);
  driver& mine = *driver_;
  const loop_options& o = at.plan.options;
  if (mine.model == nullptr) {
    require_room(*mine.device, *this, facts_.parameters, at.store.shape().state_arrays);
    mine.arrays.emplace(*mine.device, facts_.parameters, at.store.shape().state_arrays);
    mine.model = kernels_of(*this).bring(*mine.device, *this, *mine.arrays, o);
  }
  // Columns of one row only are exchanged as others are: their rows are not taken chunk by chunk.
  const auto host = private_arrays_of<float>(o.sharing, at, facts_.groups, no_singletons);
  device_step step(*mine.device, *mine.model, *mine.arrays, *host, o, at.store.slots()[at.slot]);
  worker_loop(at.store, at.slot, data_, at.plan.chunks, o, step);
}

}  // namespace hogwild::device
